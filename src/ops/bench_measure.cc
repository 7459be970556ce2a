#include "ops/bench_measure.h"

#include <algorithm>

namespace loci {
namespace {

constexpr double kSeconds = 3;  // of timing at most, once every call was made once

double percentile_us(const std::vector<double>& sorted, double share) {
  const auto at = static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5);
  return sorted[at] * 1e6;
}

}  // namespace

Latency latency_of(std::vector<double> seconds) {
  if (seconds.empty()) return {};
  std::sort(seconds.begin(), seconds.end());
  return {percentile_us(seconds, 0.5), percentile_us(seconds, 0.99)};
}

Result<Latency> time_calls(std::size_t count, std::size_t enough, const BenchProgress& progress,
                           FunctionRef<Status(std::size_t)> work) {
  std::vector<double> seconds;
  const Stopwatch all;
  const auto is_enough = [&] {
    return seconds.size() >= count && (seconds.size() >= enough || all.seconds() >= kSeconds);
  };
  while (!is_enough()) {
    const Stopwatch one;
    TRY(work(seconds.size() % count));
    seconds.push_back(one.seconds());
    TRY(progress("queries", std::min(seconds.size(), count), count));
  }
  return latency_of(std::move(seconds));
}

}  // namespace loci
