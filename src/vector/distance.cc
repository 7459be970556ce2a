#include "vector/distance.h"

#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace loci {
namespace {

// Independent lanes let the compiler keep several sums in one register; their number fixes the order of additions, so
// that the result does not depend on the machine.
constexpr std::size_t kLanes = 16;

template <typename Term>
float sum_over_lanes(std::size_t size, Term term) {
  std::array<float, kLanes> sums{};
  std::size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += term(i + lane);
  }
  for (std::size_t lane = 0; i < size; ++i, ++lane) sums[lane] += term(i);
  return std::accumulate(sums.begin(), sums.end(), 0.0F);
}

float squared_l2(std::span<const float> a, std::span<const float> b) {
  return sum_over_lanes(a.size(), [&](std::size_t i) {
    const float difference = a[i] - b[i];
    return difference * difference;
  });
}

}  // namespace

float dot_product(std::span<const float> a, std::span<const float> b) {
  assert(a.size() == b.size());
  return sum_over_lanes(a.size(), [&](std::size_t i) { return a[i] * b[i]; });
}

DistanceTo::DistanceTo(DistanceMetric metric, std::span<const float> query)
    : metric_(metric), query_(query), query_norm_(std::sqrt(dot_product(query, query))) {}

float DistanceTo::operator()(std::span<const float> vector) const {
  assert(vector.size() == query_.size());
  switch (metric_) {
    case DistanceMetric::l2: return squared_l2(query_, vector);
    case DistanceMetric::ip: return 1.0F - dot_product(query_, vector);
    case DistanceMetric::cosine: break;
  }
  const float norm = std::sqrt(dot_product(vector, vector));
  return 1.0F - dot_product(query_, vector) / (query_norm_ * norm);
}

}  // namespace loci
