// Vectors for this folder's tests and benches.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

namespace loci {

inline std::vector<float> random_vector(std::mt19937& random, std::size_t dimension) {
  std::normal_distribution<float> normal;
  std::vector<float> vector(dimension);
  for (float& value : vector) value = normal(random);
  return vector;
}

// Rows around a few centres, as embeddings of texts lie.
class ClusteredVectors {
 public:
  ClusteredVectors(std::size_t dimension, std::size_t clusters, float spread, unsigned seed)
      : random_(seed), dimension_(dimension), spread_(spread) {
    for (std::size_t i = 0; i < clusters; ++i) centers_.push_back(random_vector(random_, dimension));
  }
  std::vector<float> next() {
    std::vector<float> vector = random_vector(random_, dimension_);
    const std::vector<float>& center = centers_[random_() % centers_.size()];
    for (std::size_t i = 0; i < dimension_; ++i) vector[i] = center[i] + spread_ * vector[i];
    return vector;
  }

 private:
  std::mt19937 random_;
  std::size_t dimension_;
  float spread_;
  std::vector<std::vector<float>> centers_;
};

}  // namespace loci
