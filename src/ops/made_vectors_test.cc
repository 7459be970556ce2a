#include "ops/made_vectors.h"

#include <gtest/gtest.h>

#include "vector/distance.h"

namespace loci {
namespace {

TEST(MadeVectorsTest, TheSameSeedAndStreamGiveTheSameVectors) {
  VectorMaker first({.dimension = 8, .clusters = 3});
  VectorMaker second({.dimension = 8, .clusters = 3});
  VectorMaker other({.dimension = 8, .clusters = 3, .stream = 1});
  const Embedding vector = first.next();
  EXPECT_EQ(second.next(), vector);
  EXPECT_NE(other.next(), vector);
  EXPECT_NEAR(dot_product(vector, vector), 1, 1e-5);
}

// The distance of the nearest among the first hundred, averaged over queries.
float nearest_of(VectorShape shape) {
  VectorMaker rows({.shape = shape, .dimension = 64, .clusters = 5});
  VectorMaker queries({.shape = shape, .dimension = 64, .clusters = 5, .stream = 1});
  std::vector<Embedding> base;
  for (int i = 0; i < 100; ++i) base.push_back(rows.next());
  float sum = 0;
  for (int i = 0; i < 20; ++i) {
    const Embedding query = queries.next();
    float nearest = 2;
    for (const Embedding& row : base) nearest = std::min(nearest, DistanceTo(DistanceMetric::cosine, query)(row));
    sum += nearest / 20;
  }
  return sum;
}

TEST(MadeVectorsTest, ClustersHaveNeighboursAndIsotropicVectorsHaveNone) {
  EXPECT_LT(nearest_of(VectorShape::clustered), 0.4F);
  EXPECT_GT(nearest_of(VectorShape::isotropic), 0.5F);
  EXPECT_EQ(parse_vector_shape("isotropic"), VectorShape::isotropic);
  EXPECT_EQ(parse_vector_shape("flat"), std::nullopt);
}

}  // namespace
}  // namespace loci
