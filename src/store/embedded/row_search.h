// Search by vector over the rows of a collection. Ranks first, fetches after.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "loci/collection.h"
#include "loci/result.h"
#include "store/embedded/row_ranking.h"
#include "store/embedded/row_scope.h"
#include "store/embedded/sqlite.h"
#include "vector/distance.h"

namespace loci::embedded {

// The distance of a stored vector, which a row of a statement holds with its checksum. Errors: corruption.
Result<float> measure_stored(const DistanceTo& distance, std::size_t dimension, std::int64_t row, std::string_view id,
                             const Statement& statement, int vector_column, int checksum_column);

// Offers every row of the scope that has a vector to the nearest ones of each query. Errors: corruption.
Status offer_rows(Connection& connection, const RowScope& scope, std::span<const Embedding> queries,
                  std::span<const DistanceTo> distances, std::vector<NearestRows>& nearest);

// For each query the nearest rows of the scope, nearest first, equal distances by id. Exact: every vector is measured.
Result<std::vector<std::vector<RankedRow>>> nearest_rows(Connection& connection, const RowScope& scope,
                                                         DistanceMetric metric, std::span<const Embedding> queries,
                                                         std::size_t n_results);

}  // namespace loci::embedded
