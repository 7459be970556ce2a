// How much a crash test tries. In CI a fixed count; in a soak run (tools/soak) whatever fits into the given time.
#pragma once

#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace loci::crash {

// Counts what was tried, and says when it is enough: after `count` tries, or, where LOCI_SOAK_SECONDS is set, when that
// time is up (and never before `count`).
class Effort {
 public:
  explicit Effort(std::int64_t count);

  bool is_enough() const;
  void add(std::int64_t tries = 1) { done_ += tries; }
  std::int64_t done() const { return done_; }

  // Prints one line with the total, which soak runs are reported by.
  void report(std::string_view what, std::string_view details) const;

 private:
  std::int64_t count_;
  std::int64_t done_ = 0;
  std::chrono::steady_clock::time_point end_;
};

// The seed of a random test: LOCI_TEST_SEED, or a new one. Tests show it when they fail.
unsigned test_seed();
std::string seed_trace(unsigned seed);

}  // namespace loci::crash
