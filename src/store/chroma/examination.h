// What is wrong with one collection of a Chroma folder.
#pragma once

#include "loci/result.h"
#include "loci/upkeep.h"
#include "store/chroma/folder_palace.h"

namespace loci::chroma {

// `vectors` are those of this snapshot. Changes nothing.
Result<Coverage> examine_collection(const FolderPalace& palace, Connection& connection, const SchemaVersions& versions,
                                    const CollectionRow& row, const Recovered& vectors, VerifyDepth depth);

}  // namespace loci::chroma
