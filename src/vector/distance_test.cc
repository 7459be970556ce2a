#include "vector/distance.h"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace loci {
namespace {

std::vector<float> random_vector(std::mt19937& random, std::size_t dimension) {
  std::normal_distribution<float> normal;
  std::vector<float> vector(dimension);
  for (float& value : vector) value = normal(random);
  return vector;
}

double exact_dot(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

TEST(DistanceTest, AgreesWithDoublePrecisionForEveryDimension) {
  std::mt19937 random(7);
  for (std::size_t dimension = 1; dimension <= 400; ++dimension) {
    const std::vector<float> a = random_vector(random, dimension);
    const std::vector<float> b = random_vector(random, dimension);
    const double dot = exact_dot(a, b);
    const double norms = std::sqrt(exact_dot(a, a) * exact_dot(b, b));
    EXPECT_NEAR(DistanceTo(DistanceMetric::cosine, a)(b), 1 - dot / norms, 1e-5) << dimension;
    EXPECT_NEAR(DistanceTo(DistanceMetric::ip, a)(b), 1 - dot, 1e-3) << dimension;
    EXPECT_NEAR(DistanceTo(DistanceMetric::l2, a)(b), exact_dot(a, a) + exact_dot(b, b) - 2 * dot, 1e-2) << dimension;
  }
}

TEST(DistanceTest, AVectorIsNearestToItself) {
  const std::vector<float> a = {0.5F, -2.0F, 1.0F};
  EXPECT_NEAR(DistanceTo(DistanceMetric::cosine, a)(a), 0, 1e-6);
  EXPECT_EQ(DistanceTo(DistanceMetric::l2, a)(a), 0);
}

TEST(DistanceTest, CosineIsIndependentOfLengthAndSafeForTinyAndHugeValues) {
  for (const float scale : {1e-30F, 1e-20F, 1.0F, 1e18F, 1e30F}) {
    const std::vector<float> a = {scale, 0};
    const std::vector<float> b = {scale, scale};
    EXPECT_NEAR(DistanceTo(DistanceMetric::cosine, a)(b), 1 - std::sqrt(0.5), 1e-5) << scale;
  }
}

}  // namespace
}  // namespace loci
