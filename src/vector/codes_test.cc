#include "vector/codes.h"

#include <cmath>

#include <gtest/gtest.h>

#include "vector/distance.h"
#include "vector/segment_blocks.h"
#include "vector/test_vectors.h"

namespace loci {
namespace {

constexpr std::array kMetrics = {DistanceMetric::cosine, DistanceMetric::l2, DistanceMetric::ip};

TEST(CodesTest, DistancesByBytesAreWithinTheirError) {
  std::mt19937 random(1);
  for (const std::size_t dimension : {2, 3, 17, 64, 384, 4096}) {
    const std::vector<float> center(dimension, 0.1F);
    for (const DistanceMetric metric : kMetrics) {
      const Encoder encoder(metric, center, 5);
      std::vector<std::int8_t> codes(dimension);
      for (int round = 0; round < 30; ++round) {
        const std::vector<float> row = random_vector(random, dimension);
        const std::vector<float> query = random_vector(random, dimension);
        RowFactors factors;
        ASSERT_TRUE(encoder.encode(row, codes.data(), factors));
        const auto distance = DistanceByCode::to(encoder, query);
        ASSERT_TRUE(distance.has_value());
        std::int32_t dot = 0;
        dots_of_codes(codes.data(), 1, dimension, distance->values().data(), &dot);
        const float error = distance->error(factors, dot);
        const float exact = DistanceTo(metric, query)(row);
        EXPECT_NEAR(distance->distance(factors, dot), exact, error) << to_string(metric) << ' ' << dimension;
        EXPECT_LT(error, 0.1F * static_cast<float>(dimension));
      }
    }
  }
}

// The estimate has no bias, and its error is that of the paper: |o| |q| sqrt((1 - x^2) / x^2) / sqrt(d - 1) in standard
// deviations, x = <o, sign(o)> / (|o| sqrt(d)).
TEST(CodesTest, TheOneBitEstimateIsUnbiasedAndItsErrorBounded) {
  constexpr std::size_t kDimension = 384;
  constexpr int kPairs = 600;
  std::mt19937 random(2);
  const Encoder encoder(DistanceMetric::l2, std::vector<float>(kDimension), 9);
  double sum_of_deviations = 0;
  int beyond_three = 0;
  for (int pair = 0; pair < kPairs; ++pair) {
    const std::vector<float> row = random_vector(random, kDimension);
    std::vector<float> query = random_vector(random, kDimension);
    for (std::size_t i = 0; i < kDimension; ++i) query[i] += row[i];
    std::vector<std::int8_t> codes(kDimension);
    RowFactors factors;
    ASSERT_TRUE(encoder.encode(row, codes.data(), factors));
    const auto distance = DistanceByCode::to(encoder, query);
    ASSERT_TRUE(distance.has_value());
    std::vector<std::uint8_t> block(block_bytes(kDimension));
    make_block(codes.data(), std::span(&factors, 1), kDimension, block.data());
    std::array<float, kBlockRows> estimates;
    estimate_block(BlockView(block, kDimension)[0], distance->tables(), 0, estimates.data());

    const double squared_norm = dot_product(row, row);
    const double query_norm = std::sqrt(dot_product(query, query));
    const double product = squared_norm / 2 - estimates[0];
    const double x = std::sqrt(squared_norm / kDimension) / -factors.slope;
    const double deviation =
        std::sqrt(squared_norm) * query_norm * std::sqrt((1 - x * x) / (x * x)) / std::sqrt(kDimension - 1.0);
    const double deviations = (product - dot_product(row, query)) / deviation;
    sum_of_deviations += deviations;
    beyond_three += std::fabs(deviations) > 3 ? 1 : 0;
  }
  EXPECT_LT(std::fabs(sum_of_deviations / kPairs), 0.2);
  EXPECT_LE(beyond_three, 6);
}

TEST(CodesTest, ARowThatHasNoCodeIsTheNearestOfAllAndNothingIsKnownOfIt) {
  const Encoder encoder(DistanceMetric::l2, std::vector<float>(4), 1);
  std::vector<std::int8_t> codes(4);
  RowFactors factors;
  EXPECT_FALSE(encoder.encode(std::vector<float>{1e30F, 0, 0, 0}, codes.data(), factors));
  const auto distance = DistanceByCode::to(encoder, std::vector<float>{1, 2, 3, 4});
  ASSERT_TRUE(distance.has_value());
  EXPECT_LT(distance->distance(factors, 0), -1e29F);
  EXPECT_GT(distance->distance(factors, 0) + distance->error(factors, 0), 1e29F);
  EXPECT_FALSE(DistanceByCode::to(encoder, std::vector<float>{1e30F, 0, 0, 0}).has_value());
}

TEST(CodesTest, CosineTakesVectorsOfAnyLength) {
  const std::vector<float> center = {0.1F, 0.2F, 0.3F, 0.4F};
  const Encoder encoder(DistanceMetric::cosine, center, 1);
  std::vector<std::int8_t> expected(4);
  RowFactors factors;
  ASSERT_TRUE(encoder.encode(std::vector<float>{1, 2, -3, 4}, expected.data(), factors));
  for (const float length : {1e-30F, 1e-15F, 1e15F, 1e30F}) {
    std::vector<std::int8_t> codes(4);
    EXPECT_TRUE(encoder.encode(std::vector<float>{length, 2 * length, -3 * length, 4 * length}, codes.data(), factors));
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(codes[i], expected[i], 1) << length;
  }
}

TEST(CodesTest, ARowAtTheCentreHasACode) {
  const Encoder encoder(DistanceMetric::l2, std::vector<float>{1, 2}, 1);
  std::vector<std::int8_t> codes(2);
  RowFactors factors;
  EXPECT_TRUE(encoder.encode(std::vector<float>{1, 2}, codes.data(), factors));
  const auto distance = DistanceByCode::to(encoder, std::vector<float>{1, 5});
  std::int32_t dot = 0;
  dots_of_codes(codes.data(), 1, 2, distance->values().data(), &dot);
  EXPECT_NEAR(distance->distance(factors, dot), 9, 1e-3);
}

}  // namespace
}  // namespace loci
