#include "tests/crash/effort.h"

#include <cstdlib>
#include <iostream>

namespace loci::crash {

Effort::Effort(std::int64_t count) : count_(count), end_(std::chrono::steady_clock::now()) {
  if (const char* seconds = std::getenv("LOCI_SOAK_SECONDS"); seconds != nullptr)
    end_ += std::chrono::seconds(std::strtoll(seconds, nullptr, 10));
}

bool Effort::is_enough() const { return done_ >= count_ && std::chrono::steady_clock::now() >= end_; }

void Effort::report(std::string_view what, std::string_view details) const {
  std::cout << "tried: " << done_ << ' ' << what;
  if (!details.empty()) std::cout << ", " << details;
  std::cout << '\n';
}

unsigned test_seed() {
  const char* given = std::getenv("LOCI_TEST_SEED");
  return given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : std::random_device()();
}

std::string seed_trace(unsigned seed) { return "LOCI_TEST_SEED=" + std::to_string(seed); }

}  // namespace loci::crash
