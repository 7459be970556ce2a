// Making Chroma's queue tell a whole palace again, so that Chroma builds new indexes from it.
//
// No file of an index is written: an index that Chroma has not seen yet is built from the queue, and the tables are as
// far as the queue already. So each record gets one row, at the number of its own last write, which is never above the
// frontier of the tables; the frontier of the index goes, and at the frontier of the tables there is always a row, or
// later numbers would begin behind it and never be looked at.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "loci/result.h"
#include "store/chroma/catalog.h"
#include "store/chroma/recovery.h"

namespace loci::chroma {

// Rewrites the queue of a database, a copy of the palace's, and the frontiers, inside one transaction. `vectors` brings
// out what a collection has, from the queue as it was.
using VectorsOf = std::function<Result<std::shared_ptr<const Recovered>>(const CollectionRow&)>;
Status refill_queue(Connection& connection, const SchemaVersions& versions,
                    const std::vector<CollectionRow>& collections, const VectorsOf& vectors);

}  // namespace loci::chroma
