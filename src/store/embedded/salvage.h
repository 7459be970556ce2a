// Saving what is left of a damaged palace.
#pragma once

#include <span>

#include "loci/backend.h"
#include "loci/result.h"
#include "loci/upkeep.h"
#include "store/embedded/database.h"

namespace loci::embedded {

// Reads the damaged palace row by row, so that one bad page costs only what is on it, and writes to `target` through
// the contract. Every row that any table or index of the damaged palace tells of is counted, once; `in_files`, what
// verify_files() found, is told first, with the rows that nothing tells of any more.
// Errors: unavailable when it is cancelled, with `target` as far as it came.
Result<SalvageReport> salvage_palace(Database& damaged, std::span<const Finding> in_files, Backend& backend,
                                     const PalaceRef& target, const IsCancelled& is_cancelled);

}  // namespace loci::embedded
