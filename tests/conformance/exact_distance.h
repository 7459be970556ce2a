// Distances computed the slow and certain way, to compare with.
#pragma once

#include <cmath>
#include <cstddef>

#include "loci/collection.h"

namespace loci::conformance {

inline double exact_distance(DistanceMetric metric, const Embedding& a, const Embedding& b) {
  double dot = 0;
  double squares_a = 0;
  double squares_b = 0;
  double squared_difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i];
    const double y = b[i];
    dot += x * y;
    squares_a += x * x;
    squares_b += y * y;
    squared_difference += (x - y) * (x - y);
  }
  switch (metric) {
    case DistanceMetric::cosine: return 1 - dot / (std::sqrt(squares_a) * std::sqrt(squares_b));
    case DistanceMetric::l2: return squared_difference;
    case DistanceMetric::ip: return 1 - dot;
  }
  return 0;
}

}  // namespace loci::conformance
