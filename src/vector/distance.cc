#include "vector/distance.h"

#include <cassert>
#include <cmath>
#include <cstddef>

#include "vector/kernels.h"

namespace loci {
namespace {

// The squares of very small or large values leave the range of float; such vectors are rare and take the slow way.
bool is_safe(float squared_norm) { return squared_norm > 1e-30F && squared_norm < 1e30F; }

double exact_dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

float exact_cosine(std::span<const float> a, std::span<const float> b) {
  return static_cast<float>(1 - exact_dot(a, b) / (std::sqrt(exact_dot(a, a)) * std::sqrt(exact_dot(b, b))));
}

}  // namespace

float dot_product(std::span<const float> a, std::span<const float> b) {
  assert(a.size() == b.size());
  return dot_of_floats(a.data(), b.data(), a.size());
}

DistanceTo::DistanceTo(DistanceMetric metric, std::span<const float> query)
    : metric_(metric), query_(query), query_squared_norm_(dot_product(query, query)) {}

float DistanceTo::operator()(std::span<const float> vector) const {
  assert(vector.size() == query_.size());
  switch (metric_) {
    case DistanceMetric::l2: return squared_difference_of_floats(query_.data(), vector.data(), vector.size());
    case DistanceMetric::ip: {
      const float distance = 1.0F - dot_product(query_, vector);
      return std::isfinite(distance) ? distance : static_cast<float>(1 - exact_dot(query_, vector));
    }
    case DistanceMetric::cosine: break;
  }
  const float squared_norm = dot_product(vector, vector);
  if (!is_safe(squared_norm) || !is_safe(query_squared_norm_)) return exact_cosine(query_, vector);
  return 1.0F - dot_product(query_, vector) / (std::sqrt(query_squared_norm_) * std::sqrt(squared_norm));
}

}  // namespace loci
