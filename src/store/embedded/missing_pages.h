// A database file that was cut off is shorter than it says; what stood on the pages that are gone is told by nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "loci/result.h"

namespace loci::embedded {

struct MissingPages {
  std::uint64_t missing = 0;
  std::uint64_t total = 0;  // of the whole database
};

// Nothing for a file that is whole together with its log, whose first page does not tell, or that is being written.
// Reads only. Errors: io.
Result<std::optional<MissingPages>> find_missing_pages(const std::filesystem::path& database);

}  // namespace loci::embedded
