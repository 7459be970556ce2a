#include "base/process_memory.h"

#include <vector>

#include <gtest/gtest.h>

namespace loci {
namespace {

TEST(ProcessMemoryTest, WrittenMemoryCounts) {
  const std::optional<std::size_t> before = private_memory_bytes();
  if (!before) GTEST_SKIP() << "this system does not say";
  constexpr std::size_t kBytes = 32U << 20;
  const std::vector<char> written(kBytes, 'x');
  EXPECT_GE(*private_memory_bytes(), *before + kBytes / 2) << written.back();
}

}  // namespace
}  // namespace loci
