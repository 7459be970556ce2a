// Question: how fast and how right is a search by vector, on the rows of a file, in the real store?
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "loci/backend.h"
#include "ops/bench_measure.h"

namespace loci {

// What a process of its own took that asked the first `limit` queries of a palace (ops/bench_query.h).
struct QueryProcess {
  double seconds = 0;  // from its start to its end
  std::optional<std::size_t> private_bytes = {};
};
using RunQueryProcess = std::function<Result<QueryProcess>(const std::filesystem::path& palace, std::size_t limit)>;

struct VectorBenchRequest {
  std::filesystem::path base;
  std::filesystem::path queries;
  std::size_t dimension = 0;
  DistanceMetric metric = DistanceMetric::cosine;
  std::optional<double> filter_fraction = {};  // also with a filter that keeps this part of the rows
  std::filesystem::path folder = {};           // where the palace is made; empty: where temporary files go
  std::filesystem::path keep = {};             // a palace that stays, and that is not loaded again when it is there
  RunQueryProcess run_process = {};            // empty: nothing is measured in new processes
};

struct VectorBenchReport {
  std::size_t rows = 0;
  std::size_t queries = 0;
  bool was_kept = false;                    // an earlier run loaded it: there are no seconds
  double load_seconds = 0;                  // until every row was durable
  double index_seconds = 0;                 // from there until the index was published; 0 without one
  double lists_seconds = 0;                 // from there until it was sorted into lists; 0 where it is not
  std::optional<double> flat_recall_at_10;  // before that
  std::optional<Latency> flat;
  double recall_at_10 = 0;  // against the exact answer
  Latency warm;
  std::optional<double> filtered_recall_at_10;
  std::optional<Latency> filtered;
  std::optional<double> new_process_ms;       // a whole process that asks one query
  std::optional<std::size_t> resident_bytes;  // that a process which asked every query has for itself
  double index_bytes_per_row = 0;
  std::size_t palace_bytes = 0;
  Metadata state;                               // maintenance_state at the end
  std::vector<std::vector<std::size_t>> found;  // rows, by query; without the filter
};

// Errors: invalid_argument for files that are no vectors; those of the backend and of `progress`.
Result<VectorBenchReport> bench_vectors(Backend& backend, const VectorBenchRequest& request,
                                        const BenchProgress& progress);

}  // namespace loci
