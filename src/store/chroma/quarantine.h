// Renaming away index folders that are much older than the database, as MemPalace does it, so that Chroma makes them
// anew; but not where that would lose vectors (docs/decisions/chroma-quarantine.md).
#pragma once

#include <cstdint>

#include "loci/result.h"
#include "loci/upkeep.h"
#include "store/chroma/folder_palace.h"

namespace loci::chroma {

// A folder with "-" in its name whose data_level0.bin is older than chroma.sqlite3 by more than the limit becomes
// <name>.drift-YYYYMMDD-HHMMSS, in local time; a name that is taken gets "-2" and so on behind it. What was renamed
// already is left alone. Nothing where there is no folder or no database. Errors: busy, when another program has the
// folder's files open; io, and then what was renamed before is named in the message.
Result<QuarantineReport> quarantine_stale(FolderPalace& palace, const QuarantineRequest& request, std::int64_t now_ms);

}  // namespace loci::chroma
