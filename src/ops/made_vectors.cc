#include "ops/made_vectors.h"

#include <cmath>
#include <numbers>

namespace loci {
namespace {

constexpr double kSpread = 0.6;  // how far a row is from its centre, whose length is 1

// By hand: what std::normal_distribution gives is not the same everywhere.
double uniform(std::mt19937_64& random) { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; }

double normal(std::mt19937_64& random) {
  const double radius = std::sqrt(-2 * std::log(uniform(random)));
  return radius * std::cos(2 * std::numbers::pi * uniform(random));
}

void normalize(Embedding& vector) {
  double squares = 0;
  for (const float value : vector) squares += static_cast<double>(value) * static_cast<double>(value);
  const double length = std::sqrt(squares);
  for (float& value : vector) value = static_cast<float>(value / length);
}

}  // namespace

std::optional<VectorShape> parse_vector_shape(std::string_view name) {
  if (name == "clustered") return VectorShape::clustered;
  if (name == "isotropic") return VectorShape::isotropic;
  return std::nullopt;
}

VectorMaker::VectorMaker(const MadeVectors& what)
    : what_(what), random_(what.seed * 0x9E3779B97F4A7C15U + what.stream + 1) {
  if (what_.shape == VectorShape::isotropic) return;
  std::mt19937_64 centres(what_.seed);
  for (std::size_t i = 0; i < what_.clusters; ++i) centres_.push_back(direction(centres));
}

Embedding VectorMaker::direction(std::mt19937_64& random) const {
  Embedding vector(what_.dimension);
  for (float& value : vector) value = static_cast<float>(normal(random));
  normalize(vector);
  return vector;
}

Embedding VectorMaker::next() {
  Embedding vector = direction(random_);
  if (centres_.empty()) return vector;
  const Embedding& centre = centres_[random_() % centres_.size()];
  for (std::size_t i = 0; i < vector.size(); ++i)
    vector[i] = centre[i] + static_cast<float>(kSpread * static_cast<double>(vector[i]));
  normalize(vector);
  return vector;
}

}  // namespace loci
