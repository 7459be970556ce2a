// Saving what is left of a damaged palace.
#pragma once

#include "loci/backend.h"
#include "loci/result.h"
#include "loci/upkeep.h"
#include "store/embedded/database.h"

namespace loci::embedded {

// Reads the damaged palace row by row, so that one bad page costs only what is on it, and writes to `target` through
// the contract. Every row that any table or index of the damaged palace tells of is counted, once.
Result<SalvageReport> salvage_palace(Database& damaged, Backend& backend, const PalaceRef& target);

}  // namespace loci::embedded
