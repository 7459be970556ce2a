#include "ops/bench_query.h"

#include <algorithm>

#include "base/process_memory.h"
#include "ops/bench_measure.h"
#include "ops/bench_store.h"

namespace loci {

Result<QueryBenchReport> bench_query(Backend& backend, const PalaceRef& palace, const VectorFile& queries,
                                     std::size_t limit) {
  QueryBenchReport report;
  const Stopwatch watch;
  const std::shared_ptr<Collection> collection = TRY(backend.collection(palace, kBenchCollection, {}));
  for (std::size_t query = 0; query < std::min(limit, queries.rows()); ++query)
    report.rows.push_back(TRY(nearest_rows(*collection, queries.row(query))));
  report.seconds = watch.seconds();
  report.private_bytes = private_memory_bytes();
  return report;
}

}  // namespace loci
