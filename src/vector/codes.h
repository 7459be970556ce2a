// Codes: what the index keeps of a vector, and how far a query is from it by its code.
//
// A vector is centred on the mean of its segment and rotated at random; cosine first makes it a unit vector. Of the
// result `o` the index keeps one signed byte per coordinate, whose sign alone is the one-bit code, and three numbers.
// With the query treated alike (`q`), every metric is a constant of the query plus `offset` - <o, q>, and the product
// is estimated in two ways:
//   one bit    -slope * <sign(o), q>, slope = |o|^2 / sum |o_i|: unbiased under a random rotation (the RaBitQ
//   estimator) eight bits scale * <byte + 1/2, q>, with an error that is bounded (DistanceByCode::error)
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "loci/collection.h"
#include "vector/kernels.h"
#include "vector/rotation.h"

namespace loci {

// The numbers of a row beside its bytes.
struct RowFactors {
  float offset = 0;
  float slope = 0;  // of the one-bit estimate; its sign is turned, as BitBlock wants it
  float scale = 0;  // of the bytes
};

// How vectors of a segment become codes. Constant after construction: many threads may use it.
class Encoder {
 public:
  Encoder(DistanceMetric metric, std::span<const float> center, std::uint64_t seed);

  DistanceMetric metric() const { return metric_; }
  std::size_t dimension() const { return center_.size(); }
  std::span<const float> center() const { return center_; }

  // The vector as it is averaged for a centre: for cosine of length 1. False when that cannot be computed.
  static bool normalize(DistanceMetric metric, std::span<float> vector);
  // Can vectors be measured from it? Not when it has something that is no number or too large a one.
  static bool can_be_center(std::span<const float> center);

  // The vector, centred and rotated, with the constant that the metric needs. Nothing for values so large that their
  // squares leave the range of float.
  struct Rotated {
    std::vector<float> values;
    float offset = 0;          // as in RowFactors
    float query_constant = 0;  // when the vector is a query
  };
  std::optional<Rotated> rotate(std::span<const float> vector) const;

  // Writes dimension() codes. A vector that cannot be rotated gets factors that make it the nearest of all, so that
  // whoever ranks candidates looks at it; returns false for those.
  bool encode(std::span<const float> vector, std::int8_t* codes, RowFactors& factors) const;

 private:
  DistanceMetric metric_;
  std::vector<float> center_;
  Rotation rotation_;
};

// The offset of rows that have no code.
inline constexpr float kNearestOfAll = -1e30F;

// Turns 64 rows of codes, one after the other, into the interleaved bits of a block. Rows from `rows` on are zero.
void pack_bits(const std::int8_t* codes, std::size_t rows, std::size_t dimension, std::uint8_t* bits);
// Bytes of one row's bits, filled up so that the scan needs no rest.
constexpr std::size_t bit_bytes(std::size_t dimension) {
  return (dimension + kBitStepDimensions - 1) / kBitStepDimensions * 2;
}

// One query against the codes of a segment.
class DistanceByCode {
 public:
  // To what is centred and rotated already; distances then lack the constant of the query.
  static DistanceByCode to_rotated(std::vector<float> query);
  // Nothing when the query has no code.
  static std::optional<DistanceByCode> to(const Encoder& encoder, std::span<const float> query);

  BitTables tables() const { return {entries_, bias_, step_}; }
  std::span<const std::int16_t> values() const { return values_; }
  std::span<const float> rotated() const { return rotated_; }

  // The distance by the bytes of a row, from dots_of_codes() with values().
  float distance(const RowFactors& factors, std::int32_t dot) const {
    return metric_factor_ * (constant_ + factors.offset - product(factors, dot));
  }
  // By how much it may be wrong: five standard deviations of the rounding, or all of it where that is less.
  float error(const RowFactors& factors, std::int32_t dot) const;

  // Up to which one-bit estimate a row of this slope may be nearer than `distance`: all but one in 44 of those that
  // just are.
  float estimate_limit(float slope, float distance) const;
  // Is it farther than half a square of what is between row and query? Not known of inner products, and of a 0.
  bool is_beyond(float half_square, float distance) const {
    return is_euclidean_ && half_square > 0 && distance / metric_factor_ > half_square;
  }

 private:
  DistanceByCode() = default;
  void make_tables();
  void make_values();
  float product(const RowFactors& factors, std::int32_t dot) const {
    return factors.scale * value_step_ * (static_cast<float>(dot) + half_value_sum_);
  }

  std::vector<float> rotated_;
  std::vector<std::uint8_t> entries_;
  float bias_ = 0;
  float step_ = 0;
  std::vector<std::int16_t> values_;
  float value_step_ = 0;
  float half_value_sum_ = 0;
  float error_per_scale_ = 0;
  float constant_ = 0;
  float metric_factor_ = 1;
  float norm_ = 0;             // of the rotated query
  bool is_euclidean_ = false;  // distances are half the square of how far row and query are apart
};

}  // namespace loci
