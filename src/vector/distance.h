// Exact distances between float32 vectors. Smaller is nearer for every metric:
//   cosine  1 - cos(a, b)      l2  the squared Euclidean distance      ip  1 - dot(a, b)
// Pure functions; the same input gives the same bits on every call.
#pragma once

#include <span>

#include "loci/collection.h"

namespace loci {

float dot_product(std::span<const float> a, std::span<const float> b);

// Measures many vectors against one query: what depends on the query alone is computed once.
class DistanceTo {
 public:
  // The query must outlive the object.
  DistanceTo(DistanceMetric metric, std::span<const float> query);

  // `vector` has the query's dimension.
  float operator()(std::span<const float> vector) const;

 private:
  DistanceMetric metric_;
  std::span<const float> query_;
  float query_squared_norm_;
};

}  // namespace loci
