#include "base/process_memory.h"

#include <vector>

#include <gtest/gtest.h>

#include "base/sanitizers.h"

namespace loci {
namespace {

TEST(ProcessMemoryTest, WrittenMemoryCounts) {
  const std::optional<std::size_t> before = private_memory_bytes();
  if (!before) GTEST_SKIP() << "this system does not say";
  constexpr std::size_t kBytes = 32U << 20;
  const std::vector<char> written(kBytes, 'x');
  EXPECT_GE(*private_memory_bytes(), *before + kBytes / 2) << written.back();
}

TEST(ProcessMemoryTest, WhatWasFreedCanBeGivenBack) {
  if (!private_memory_bytes()) GTEST_SKIP() << "this system does not say";
  if (kHasSanitizedMemory) GTEST_SKIP() << "a sanitizer keeps what was freed";
  constexpr std::size_t kPieces = 32'000;  // of a size that stays in the heap
  std::vector<std::vector<char>> pieces(kPieces);
  for (std::vector<char>& piece : pieces) piece.assign(1000, 'x');
  const std::vector<char> keeps_the_top_of_the_heap_in_use(1000, 'x');
  const std::size_t before = *private_memory_bytes();
  pieces = {};
  give_back_free_memory();
  EXPECT_LT(*private_memory_bytes(), before - kPieces * 1000 / 2) << keeps_the_top_of_the_heap_in_use.back();
}

}  // namespace
}  // namespace loci
