// Search by vector over the published segments and what is in none of them yet.
//
// All of it happens in the caller's snapshot: the segments that it names, without the rows that it knows to be changed
// or removed since, and those changed rows by themselves. So every row that was committed before the query began is
// looked for, and none that is gone is found. Distances are those of the stored vectors.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "loci/collection.h"
#include "loci/result.h"
#include "store/embedded/catalog.h"
#include "store/embedded/index_context.h"
#include "store/embedded/row_ranking.h"
#include "store/embedded/sqlite.h"

namespace loci::embedded {

using RankedLists = std::vector<std::vector<RankedRow>>;

// For each query the nearest rows that pass the filters. Nothing when the index cannot say: there is none, or a part of
// it cannot be used. Errors: not_found when a file of a segment is not there, which a newer snapshot may mend;
// corruption of a stored vector.
Result<std::optional<RankedLists>> nearest_by_index(Connection& connection, IndexContext& index,
                                                    const CollectionRow& collection, const QueryRequest& request,
                                                    std::span<const Embedding> queries);

}  // namespace loci::embedded
