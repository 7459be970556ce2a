#include "ops/bench_vectors.h"

#include <algorithm>
#include <string>

#include "base/temporary_folder.h"
#include "ops/bench_store.h"
#include "ops/exact_neighbours.h"
#include "ops/vector_file.h"

namespace loci {
namespace {

constexpr int kNewQueryProcesses = 15;
constexpr std::size_t kQueryCalls = 1'000;  // for a ninety-ninth percentile

struct Run {
  Backend& backend;
  const VectorBenchRequest& request;
  const BenchProgress& progress;
  const VectorFile& base;
  const VectorFile& queries;
  const PalaceRef& palace;
  VectorBenchReport& report;
};

struct Asked {
  std::vector<std::vector<std::size_t>> found;
  Latency latency;
};

// A first round fills caches and says what is found; later ones are timed.
Result<Asked> ask(const Run& run, const Filter& where) {
  const auto collection = TRY(run.backend.collection(run.palace, kBenchCollection, {}));
  Asked asked;
  for (std::size_t query = 0; query < run.queries.rows(); ++query)
    asked.found.push_back(TRY(nearest_rows(*collection, run.queries.row(query), where)));
  asked.latency = TRY(time_calls(run.queries.rows(), kQueryCalls, run.progress, [&](std::size_t query) -> Status {
    TRY(nearest_rows(*collection, run.queries.row(query), where));
    return {};
  }));
  return asked;
}

Status load(const Run& run, Collection& collection) {
  const std::size_t there = TRY(collection.count());
  run.report.was_kept = there == run.base.rows();
  if (run.report.was_kept) return {};
  if (there > 0)
    return Error{ErrorKind::invalid_argument, "the palace that was kept has " + std::to_string(there) +
                                                  " rows, the file " + std::to_string(run.base.rows()) +
                                                  "; choose another folder"};
  const Stopwatch watch;
  TRY(store_rows(collection, run.base, run.request.filter_fraction, run.progress));
  run.report.load_seconds = watch.seconds();
  return {};
}

// What the index is in its first shape is measured too when it gets another.
Status index(const Run& run, Collection& collection, const ExactNeighbours& truth) {
  run.report.index_seconds = TRY(index_step(collection, run.progress));
  if (run.report.index_seconds <= 0) return {};
  const Asked flat = TRY(ask(run, {}));
  run.report.lists_seconds = TRY(build_index(collection, run.progress));
  if (run.report.lists_seconds <= 0) return {};
  run.report.flat = flat.latency;
  run.report.flat_recall_at_10 = truth.recall(flat.found);
  return {};
}

Status ask_all(const Run& run, const ExactNeighbours& truth) {
  Asked asked = TRY(ask(run, {}));
  run.report.warm = asked.latency;
  run.report.recall_at_10 = truth.recall(asked.found);
  run.report.found = std::move(asked.found);
  if (!run.request.filter_fraction) return {};
  const double fraction = *run.request.filter_fraction;
  const Asked filtered = TRY(ask(run, part_filter()));
  run.report.filtered = filtered.latency;
  run.report.filtered_recall_at_10 =
      ExactNeighbours(run.base, run.queries, run.request.metric, kBenchNeighbours, [&](std::size_t row) {
        return is_in_part(row, fraction);
      }).recall(filtered.found);
  return {};
}

Status ask_in_new_processes(const Run& run) {
  if (!run.request.run_process) return {};
  std::vector<double> seconds;
  for (int i = 0; i < kNewQueryProcesses; ++i)
    seconds.push_back(TRY(run.request.run_process(*run.palace.local_path, 1)).seconds);
  run.report.new_process_ms = latency_of(std::move(seconds)).p50_us / 1000;
  run.report.resident_bytes = TRY(run.request.run_process(*run.palace.local_path, run.queries.rows())).private_bytes;
  return {};
}

std::size_t bytes_in(const std::filesystem::path& folder) {
  std::size_t bytes = 0;
  std::error_code failure;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, failure)) {
    std::error_code ignored;
    if (entry.is_regular_file(ignored)) bytes += entry.file_size(ignored);
  }
  return bytes;
}

}  // namespace

Result<VectorBenchReport> bench_vectors(Backend& backend, const VectorBenchRequest& request,
                                        const BenchProgress& progress) {
  const VectorFile base = TRY(VectorFile::open(request.base, request.dimension));
  const VectorFile queries = TRY(VectorFile::open(request.queries, request.dimension));
  const double fraction = request.filter_fraction.value_or(1);
  if (!(fraction > 0 && fraction <= 1))
    return Error{ErrorKind::invalid_argument, "the filter's fraction must be above 0 and at most 1"};
  const TemporaryFolder folder =
      TRY(request.folder.empty() ? TemporaryFolder::create() : TemporaryFolder::create_in(request.folder));
  const PalaceRef palace =
      PalaceRef::at(request.keep.empty() ? folder.path() / "palace" : std::filesystem::absolute(request.keep));
  VectorBenchReport report;
  report.rows = base.rows();
  report.queries = queries.rows();
  const Run run{backend, request, progress, base, queries, palace, report};
  {
    const OpenOptions options{.if_missing = IfMissing::create, .metric = request.metric};
    const auto collection = TRY(backend.collection(palace, kBenchCollection, options));
    TRY(load(run, *collection));
    const ExactNeighbours truth(base, queries, request.metric, kBenchNeighbours, [](std::size_t) { return true; });
    TRY(index(run, *collection, truth));
    TRY(ask_all(run, truth));
  }
  TRY(ask_in_new_processes(run));
  report.state = TRY(backend.maintenance_state(palace, Access::read_write));
  report.index_bytes_per_row =
      static_cast<double>(number_in(report.state, "vector_bytes")) / static_cast<double>(report.rows);
  report.palace_bytes = bytes_in(*palace.local_path);
  backend.close_palace(palace);
  return report;
}

}  // namespace loci
