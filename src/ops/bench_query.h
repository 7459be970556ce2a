// The queries of a file against a palace that is there: what a new process does, and what it costs it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "loci/backend.h"
#include "ops/vector_file.h"

namespace loci {

struct QueryBenchReport {
  std::vector<std::vector<std::size_t>> rows;  // found for each query
  double seconds = 0;                          // opening and asking
  std::optional<std::size_t> private_bytes;    // of this process, afterwards
};

// Asks the first `limit` queries. Errors: those of the backend.
Result<QueryBenchReport> bench_query(Backend& backend, const PalaceRef& palace, const VectorFile& queries,
                                     std::size_t limit);

}  // namespace loci
