#include "vector/kernels.h"

#include <array>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "vector/codes.h"
#include "vector/test_vectors.h"

namespace loci {
namespace {

constexpr std::array<std::size_t, 14> kDimensions = {2, 3, 7, 15, 16, 17, 31, 33, 64, 100, 384, 769, 1536, 4096};

// Runs the work once for each instruction set that this machine has.
template <typename Work>
void on_every_target(const Work& work) {
  const std::int64_t supported = hwy::SupportedTargets();
  for (std::int64_t rest = supported; rest != 0; rest &= rest - 1) {
    const std::int64_t target = rest & -rest;
    hwy::SetSupportedTargetsForTest(target);
    SCOPED_TRACE(hwy::TargetName(target));
    work();
  }
  hwy::SetSupportedTargetsForTest(0);
}

std::vector<std::int8_t> random_codes(std::mt19937& random, std::size_t count) {
  std::vector<std::int8_t> codes(count);
  for (std::int8_t& code : codes) code = static_cast<std::int8_t>(random() % 256);
  return codes;
}

TEST(KernelsTest, FloatsAddUpToTheSameBitsOnEveryTarget) {
  std::mt19937 random(1);
  for (const std::size_t dimension : kDimensions) {
    const std::vector<float> a = random_vector(random, dimension);
    const std::vector<float> b = random_vector(random, dimension);
    const float dot = dot_of_floats(a.data(), b.data(), dimension);
    const float difference = squared_difference_of_floats(a.data(), b.data(), dimension);
    double exact = 0;
    for (std::size_t i = 0; i < dimension; ++i) exact += double{a[i]} * double{b[i]};
    EXPECT_NEAR(dot, exact, 1e-3);
    on_every_target([&] {
      EXPECT_EQ(dot_of_floats(a.data(), b.data(), dimension), dot);
      EXPECT_EQ(squared_difference_of_floats(a.data(), b.data(), dimension), difference);
    });
  }
}

TEST(KernelsTest, TheHadamardTransformIsItsOwnInverseOnEveryTarget) {
  std::mt19937 random(2);
  for (std::size_t size = 1; size <= 4096; size *= 2) {
    const std::vector<float> values = random_vector(random, size);
    std::vector<float> once = values;
    hadamard_transform(once.data(), size);
    on_every_target([&] {
      std::vector<float> again = values;
      hadamard_transform(again.data(), size);
      EXPECT_EQ(again, once);
      hadamard_transform(again.data(), size);
      for (std::size_t i = 0; i < size; ++i) EXPECT_NEAR(again[i] / static_cast<float>(size), values[i], 1e-4);
    });
  }
}

TEST(KernelsTest, DotsOfCodesAreExactOnEveryTargetAlsoAtTheLimits) {
  std::mt19937 random(3);
  constexpr std::size_t kRows = 5;
  for (const std::size_t dimension : kDimensions) {
    for (const bool is_extreme : {false, true}) {
      std::vector<std::int8_t> codes = random_codes(random, kRows * dimension);
      std::vector<std::int16_t> query(dimension);
      for (std::int16_t& value : query)
        value = is_extreme ? kLargestQueryValue : static_cast<std::int16_t>(random() % 8191 - 4095);
      if (is_extreme) std::fill(codes.begin(), codes.end(), std::int8_t{-128});
      std::vector<std::int32_t> expected(kRows);
      for (std::size_t i = 0; i < codes.size(); ++i) expected[i / dimension] += codes[i] * query[i % dimension];
      on_every_target([&] {
        std::vector<std::int32_t> dots(kRows);
        dots_of_codes(codes.data(), kRows, dimension, query.data(), dots.data());
        EXPECT_EQ(dots, expected) << dimension;
      });
    }
  }
}

// The block scan as one would write it down.
std::vector<float> plain_estimates(const BitBlock& block, const BitTables& tables) {
  std::vector<float> estimates;
  for (std::size_t row = 0; row < kBlockRows; ++row) {
    std::uint32_t sum = 0;
    for (std::size_t table = 0; table < tables.entries.size() / kTableEntries; ++table) {
      const std::uint8_t byte = block.bits[table / 2 * kBlockRows + row];
      sum += tables.entries[table * kTableEntries + (table % 2 == 0 ? byte & 15 : byte >> 4)];
    }
    const float step = tables.step * static_cast<float>(sum);
    const float dot = tables.bias + step;
    const float product = block.slopes[row] * dot;
    estimates.push_back(block.offsets[row] + product);
  }
  return estimates;
}

TEST(KernelsTest, BlocksAreEstimatedToTheSameBitsOnEveryTarget) {
  std::mt19937 random(4);
  for (const std::size_t dimension : kDimensions) {
    std::vector<std::uint8_t> bits(kBlockRows * bit_bytes(dimension));
    for (std::uint8_t& byte : bits) byte = static_cast<std::uint8_t>(random() % 256);
    std::vector<std::uint8_t> entries(bit_bytes(dimension) * 2 * kTableEntries);
    for (std::uint8_t& entry : entries) entry = static_cast<std::uint8_t>(random() % (kLargestTableEntry + 1));
    if (dimension == kLargestDimension) std::fill(entries.begin(), entries.end(), kLargestTableEntry);
    const std::vector<float> offsets = random_vector(random, kBlockRows);
    const std::vector<float> slopes = random_vector(random, kBlockRows);
    const BitBlock block{bits.data(), offsets.data(), slopes.data()};
    const BitTables tables{entries, -1.5F, 0.01F};
    const std::vector<float> expected = plain_estimates(block, tables);
    on_every_target([&] {
      std::vector<float> estimates(kBlockRows);
      const std::uint64_t near = estimate_block(block, tables, 0.25F, estimates.data());
      EXPECT_EQ(estimates, expected) << dimension;
      for (std::size_t row = 0; row < kBlockRows; ++row)
        EXPECT_EQ((near >> row & 1) != 0, expected[row] <= 0.25F) << dimension;
    });
  }
}

}  // namespace
}  // namespace loci
