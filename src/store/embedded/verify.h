// Examining a palace: does the database hold together, do the tables agree, is every text as it was stored?
#pragma once

#include <filesystem>
#include <vector>

#include "loci/result.h"
#include "loci/upkeep.h"
#include "store/embedded/database.h"

namespace loci::embedded {

// Errors: unavailable when it is cancelled.
Result<VerifyReport> verify_palace(Database& database, VerifyDepth depth, const IsCancelled& is_cancelled = {});

// The same of one that could not be opened, and why not.
Result<VerifyReport> verify_damaged_palace(Database& damaged, VerifyDepth depth, const Error& why,
                                           const IsCancelled& is_cancelled);

// Only what the files of the palace in `folder` say before SQLite opens them: is the log whole, and the database as
// long as it should be? Errors: corruption when the database is empty; io.
Result<std::vector<Finding>> verify_files(const std::filesystem::path& folder);

}  // namespace loci::embedded
