// What all benches share: a clock, the times of many calls, and how they say how far they are.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/function_ref.h"
#include "loci/result.h"

namespace loci {

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct Latency {
  double p50_us = 0;
  double p99_us = 0;
};
// Of the seconds that calls took. Zeros when there were none.
Latency latency_of(std::vector<double> seconds);

// Says how far a bench is. An error, such as that of an interrupt, ends the bench.
using BenchProgress = std::function<Status(std::string_view unit, std::uint64_t done, std::uint64_t total)>;

// Calls `work(i)` for i = 0 … count - 1, at least once each and then again until there were `enough` calls or a few
// seconds have passed, and times each call.
Result<Latency> time_calls(std::size_t count, std::size_t enough, const BenchProgress& progress,
                           FunctionRef<Status(std::size_t)> work);

}  // namespace loci
