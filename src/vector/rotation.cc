#include "vector/rotation.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <numeric>

#include "vector/kernels.h"
#include "vector/random_numbers.h"

namespace loci {
namespace {

constexpr int kSignRounds = 3;

// Calls visit(begin, size) for the powers of two that the dimension is a sum of, largest first.
template <typename Visit>
void for_each_power(std::size_t dimension, const Visit& visit) {
  for (std::size_t begin = 0; begin < dimension;) {
    const std::size_t size = std::bit_floor(dimension - begin);
    visit(begin, size);
    begin += size;
  }
}

}  // namespace

Rotation::Rotation(std::size_t dimension, std::uint64_t seed) : dimension_(dimension) {
  RandomNumbers random(seed);
  for (int i = 0; i < kSignRounds; ++i) {
    Round& round = rounds_.emplace_back();
    round.source.resize(dimension);
    std::iota(round.source.begin(), round.source.end(), 0U);
    for (std::size_t j = dimension; j > 1; --j) std::swap(round.source[j - 1], round.source[random.below(j)]);
    round.factors.resize(dimension);
    for_each_power(dimension, [&](std::size_t begin, std::size_t size) {
      const float length = 1.0F / std::sqrt(static_cast<float>(size));
      for (std::size_t j = begin; j < begin + size; ++j) round.factors[j] = random.below(2) == 0 ? length : -length;
    });
  }
}

void Rotation::apply(std::span<float> vector, std::span<float> scratch) const {
  assert(vector.size() == dimension_ && scratch.size() == dimension_);
  for (const Round& round : rounds_) {
    for (std::size_t i = 0; i < dimension_; ++i) scratch[i] = vector[round.source[i]] * round.factors[i];
    for_each_power(dimension_,
                   [&](std::size_t begin, std::size_t size) { hadamard_transform(scratch.data() + begin, size); });
    std::copy(scratch.begin(), scratch.end(), vector.begin());
  }
}

}  // namespace loci
