// What a Chroma folder holds, and what is wrong with it: for each collection how many rows have their vector, and every
// damage by its name.
//
// Whether a row has its vector is decided by sequence numbers (recovery.h). Neither the times of files nor counts say
// it: healthy folders fail such tests, and damaged ones pass them.
#pragma once

#include "loci/result.h"
#include "loci/upkeep.h"
#include "store/chroma/folder_palace.h"

namespace loci::chroma {

// Changes nothing. Damage is a finding, also when it is so bad that nothing can be read. Errors: palace_not_found,
// busy, backend_closed, unavailable when it is cancelled.
Result<VerifyReport> examine_folder(FolderPalace& palace, VerifyDepth depth, const IsCancelled& is_cancelled = {});

}  // namespace loci::chroma
