// Search over the rows of a collection: nearest by vector, best by words. Ranks first, fetches after.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "loci/collection.h"
#include "loci/result.h"
#include "store/embedded/row_scope.h"
#include "store/embedded/sqlite.h"

namespace loci::embedded {

struct RankedRow {
  std::int64_t row = 0;
  double value = 0;  // a distance (smaller is better) or a score (larger is better)
};

// For each query the nearest rows of the scope, nearest first, equal distances by id. Exact: every vector is measured.
Result<std::vector<std::vector<RankedRow>>> nearest_rows(Connection& connection, const RowScope& scope,
                                                         DistanceMetric metric, std::span<const Embedding> queries,
                                                         std::size_t n_results);

// The rows of the scope in which any word of the text occurs, best first.
Result<std::vector<RankedRow>> matching_rows(Connection& connection, std::int64_t collection, const RowScope& scope,
                                             std::string_view text, std::size_t n_results);

}  // namespace loci::embedded
