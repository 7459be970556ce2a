#include "bench/peers/peer_report.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "bench/workloads/measure.h"

namespace loci::bench {
namespace {

constexpr std::size_t kCalls = 1'000;

VectorFile open_or_end(int argument_count, char** arguments, const char* name) {
  const std::size_t dimension = std::strtoull(option(argument_count, arguments, "dim", "384").c_str(), nullptr, 10);
  Result<VectorFile> file = VectorFile::open(option(argument_count, arguments, name, ""), dimension);
  if (!file.ok()) {
    std::fprintf(stderr, "--%s: %s\n", name, file.error().message.c_str());
    std::exit(2);
  }
  return *std::move(file);
}

}  // namespace

VectorWorkload::VectorWorkload(int argument_count, char** arguments)
    : base_(open_or_end(argument_count, arguments, "base")),
      queries_(open_or_end(argument_count, arguments, "queries")),
      exact_(base_, queries_, DistanceMetric::cosine, kNeighbours, [](std::size_t) { return true; }) {}

double VectorWorkload::recall(const Search& search) const {
  std::vector<std::vector<std::size_t>> found;
  for (std::size_t query = 0; query < queries_.rows(); ++query) found.push_back(search(query));
  return exact_.recall(found);
}

void VectorWorkload::measure(const Search& search, PeerFigures& figures) const {
  figures.recall = recall(search);
  const Result<Latency> latency = time_calls(
      queries_.rows(), kCalls, [](std::string_view, std::uint64_t, std::uint64_t) { return ok_status(); },
      [&](std::size_t query) {
        search(query);
        return ok_status();
      });
  figures.latency = *latency;
}

void VectorWorkload::print(const PeerFigures& figures) const {
  const std::string line = result_line("vectors",
                                       {{"system", figures.system},
                                        {"settings", figures.settings},
                                        {"rows", static_cast<std::int64_t>(base_.rows())},
                                        {"recall_at_10", figures.recall},
                                        {"warm_p50_us", figures.latency.p50_us},
                                        {"warm_p99_us", figures.latency.p99_us},
                                        {"load_seconds", figures.load_seconds},
                                        {"index_seconds", figures.build_seconds},
                                        {"open_seconds", figures.open_seconds},
                                        {"stored_bytes_per_row", figures.bytes_per_row}},
                                       "");
  std::fputs(line.c_str(), stdout);
  std::fflush(stdout);
}

std::vector<float> normalized(std::span<const float> vector) {
  double squares = 0;
  for (const float value : vector) squares += static_cast<double>(value) * static_cast<double>(value);
  std::vector<float> unit(vector.begin(), vector.end());
  for (float& value : unit) value = static_cast<float>(value / std::sqrt(squares));
  return unit;
}

}  // namespace loci::bench
