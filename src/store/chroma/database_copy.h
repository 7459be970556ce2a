// A copy of a Chroma database that can be read as it is, whatever state the original was left in.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "loci/result.h"
#include "loci/upkeep.h"
#include "store/chroma/catalog.h"

namespace loci::chroma {

// For every connection to a Chroma database. Hostile files must not run code or lie; Chroma compares texts by case.
inline constexpr std::string_view kReadSettings =
    "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA case_sensitive_like = ON; "
    "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8000;";

// Copies the database and what lies beside it into `target`, and rolls back its journal there. The original is not
// touched.
Result<std::unique_ptr<Connection>> copy_database(const std::filesystem::path& folder,
                                                  const std::filesystem::path& target,
                                                  const IsCancelled& is_cancelled = {});

// Takes over what Chroma acknowledged and had no time to put into its tables.
Status mend_tables(Connection& connection);

// Both.
Result<std::unique_ptr<Connection>> copy_and_mend(const std::filesystem::path& folder,
                                                  const std::filesystem::path& target);

}  // namespace loci::chroma
