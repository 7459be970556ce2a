// A random rotation of a vector space of any dimension: it keeps lengths and angles and spreads what a vector has over
// all of its coordinates, so that a few bits of each say about the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace loci {

// Rounds of random signs, a random permutation and Hadamard transforms over the powers of two that make up the
// dimension; some 4 * n * log n additions instead of n * n. The same seed gives the same rotation everywhere. Constant
// after construction: many threads may use it.
class Rotation {
 public:
  Rotation(std::size_t dimension, std::uint64_t seed);

  // In place; `scratch` has the same size and holds nothing afterwards.
  void apply(std::span<float> vector, std::span<float> scratch) const;

 private:
  struct Round {
    std::vector<std::uint32_t> source;  // where the coordinate comes from
    std::vector<float> factors;         // its sign, and what makes the transform keep lengths
  };
  std::size_t dimension_;
  std::vector<Round> rounds_;
};

}  // namespace loci
