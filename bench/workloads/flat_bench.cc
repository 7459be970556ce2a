// Question: what does the vector index of the real store take and give when it is not sorted into lists? Data: files of
// raw float32 rows, as for `loci bench vectors`, which measures the index as users have it.
//
// flat_bench --base FILE --queries FILE [--dim 384] [--folder DIR] [--commit HASH]
// One JSON line goes to the standard output.
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

#include "bench/workloads/measure.h"
#include "ops/bench_vectors.h"
#include "store/embedded/embedded_backend.h"

int main(int argument_count, char** arguments) {
  const auto value = [&](const char* name, const char* otherwise) {
    return loci::bench::option(argument_count, arguments, name, otherwise);
  };
  const auto backend = loci::make_embedded_backend({.partition_rows = std::numeric_limits<std::size_t>::max()});
  const auto report = loci::bench_vectors(*backend,
                                          {.base = value("base", ""),
                                           .queries = value("queries", ""),
                                           .dimension = std::strtoull(value("dim", "384").c_str(), nullptr, 10),
                                           .folder = value("folder", "")},
                                          [](auto&&...) { return loci::Status(); });
  if (!report.ok()) {
    std::fprintf(stderr, "flat_bench: %s\n", report.error().message.c_str());
    return 1;
  }
  const std::string line = loci::bench::result_line("flat",
                                                    {{"rows", static_cast<std::int64_t>(report->rows)},
                                                     {"recall_at_10", report->recall_at_10},
                                                     {"warm_p50_us", report->warm.p50_us},
                                                     {"warm_p99_us", report->warm.p99_us},
                                                     {"load_seconds", report->load_seconds},
                                                     {"index_seconds", report->index_seconds},
                                                     {"bytes_per_row", report->index_bytes_per_row}},
                                                    value("commit", "unknown"));
  std::fputs(line.c_str(), stdout);
  return 0;
}
