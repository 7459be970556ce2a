#include "vector/rotation.h"

#include <random>

#include <gtest/gtest.h>

#include "vector/kernels.h"
#include "vector/test_vectors.h"

namespace loci {
namespace {

std::vector<float> rotated(std::vector<float> vector, std::uint64_t seed) {
  std::vector<float> scratch(vector.size());
  Rotation(vector.size(), seed).apply(vector, scratch);
  return vector;
}

TEST(RotationTest, KeepsProductsInEveryDimension) {
  std::mt19937 random(1);
  for (const std::size_t dimension : {1, 2, 3, 5, 16, 31, 100, 384, 1000, 4096}) {
    const std::vector<float> a = random_vector(random, dimension);
    const std::vector<float> b = random_vector(random, dimension);
    const std::vector<float> a_rotated = rotated(a, 7);
    const std::vector<float> b_rotated = rotated(b, 7);
    EXPECT_NEAR(dot_of_floats(a.data(), b.data(), dimension),
                dot_of_floats(a_rotated.data(), b_rotated.data(), dimension), 1e-2)
        << dimension;
    EXPECT_NEAR(dot_of_floats(a.data(), a.data(), dimension),
                dot_of_floats(a_rotated.data(), a_rotated.data(), dimension), 1e-2)
        << dimension;
  }
}

TEST(RotationTest, SpreadsOneCoordinateOverAll) {
  for (const std::size_t at : {0U, 200U, 383U}) {
    std::vector<float> one(384);
    one[at] = 1;
    for (const float value : rotated(one, 3)) EXPECT_LT(value * value, 0.1F);
  }
}

TEST(RotationTest, TheSeedDecides) {
  std::mt19937 random(2);
  const std::vector<float> vector = random_vector(random, 64);
  EXPECT_EQ(rotated(vector, 1), rotated(vector, 1));
  EXPECT_NE(rotated(vector, 1), rotated(vector, 2));
}

}  // namespace
}  // namespace loci
