// From rows to records.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "loci/collection.h"
#include "loci/result.h"
#include "store/embedded/row_scope.h"
#include "store/embedded/row_search.h"
#include "store/embedded/sqlite.h"

namespace loci::embedded {

// Hands over the records of the scope in row order, which is insertion order.
Status scan_rows(Connection& connection, const RowScope& scope, const Include& include,
                 std::optional<std::size_t> limit, std::size_t offset,
                 const std::function<Status(std::int64_t row, Record record)>& visit);

struct RankedRecord {
  Record record;
  double value = 0;
};

// The records of these rows, in this order. What only a damaged index names, a row that does not exist or one that
// stands there twice, is left out.
Result<std::vector<RankedRecord>> read_ranked(Connection& connection, std::int64_t collection,
                                              const std::vector<RankedRow>& ranked, const Include& include);

// The rows of these ids, in row order; ids that do not exist are left out.
Result<std::vector<std::int64_t>> find_rows(Connection& connection, std::int64_t collection,
                                            const std::vector<std::string>& ids);

}  // namespace loci::embedded
