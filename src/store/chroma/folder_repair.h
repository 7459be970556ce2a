// A new Chroma folder with everything that an old one still has, which Chroma opens whatever state the old one is in.
#pragma once

#include <filesystem>

#include "loci/result.h"
#include "loci/upkeep.h"

namespace loci::chroma {

// The database is copied, or made anew where its pages are damaged (database_rebuild.h), and its queue refilled
// (queue_refill.h), so that Chroma builds new indexes; the files of the old indexes are only read, those of quarantined
// copies too. What else lies in the folder is copied as it is. Vectors that nobody can be given go into files of their
// own; where the database is lost, they are all that there is in `output`. It appears when it is complete, and not at
// all after an error. Errors: already_exists, busy when a program has the folder open, corruption, palace_not_found,
// unavailable when it is cancelled.
Result<SalvageReport> repair_folder(const std::filesystem::path& folder, const std::filesystem::path& output,
                                    const IsCancelled& is_cancelled = {});

}  // namespace loci::chroma
