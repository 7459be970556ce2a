// Sequence numbers in the form that the release of the database expects, where that is safe to make
// (docs/decisions/chroma-quarantine.md).
//
// Chroma's migration metadb 5 turns the blobs of max_seq_id into integers. Behind it a blob, which an older release
// wrote again, keeps Chroma from opening the folder: it is converted. Before it an integer, which somebody converted
// too early, would be poisoned by the migration: it is made a blob again. What was poisoned already is read back.
#pragma once

#include "loci/result.h"
#include "loci/upkeep.h"
#include "store/chroma/folder_palace.h"

namespace loci::chroma {

inline constexpr std::string_view kSeqIdRepair = "seq-ids";

// All in one transaction, or nothing. With Apply::no the folder is only read. Nothing where there is no database.
// Errors: busy, corruption.
Result<MendReport> repair_seq_ids(FolderPalace& palace, Apply apply);

}  // namespace loci::chroma
