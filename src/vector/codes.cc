#include "vector/codes.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

namespace loci {
namespace {

// Beyond this, sums of squares could leave the range of float.
constexpr float kLargestNorm = 1e12F;
constexpr float kSmallestNorm = 1e-12F;

float largest_absolute(std::span<const float> values) {
  float largest = 0;
  for (const float value : values) largest = std::max(largest, std::fabs(value));
  return largest;
}

}  // namespace

Encoder::Encoder(DistanceMetric metric, std::span<const float> center, std::uint64_t seed)
    : metric_(metric), center_(center.begin(), center.end()), rotation_(center.size(), seed) {}

bool Encoder::normalize(DistanceMetric metric, std::span<float> vector) {
  const float largest = largest_absolute(vector);
  if (metric != DistanceMetric::cosine) return largest < kLargestNorm;
  // Far from 1 the squares would be lost: bring the vector there first.
  if (largest < kSmallestNorm || largest > kLargestNorm) {
    if (!(largest > 0) || !std::isfinite(1 / largest)) return false;
    for (float& value : vector) value *= 1 / largest;
  }
  const float norm = std::sqrt(dot_of_floats(vector.data(), vector.data(), vector.size()));
  for (float& value : vector) value /= norm;
  return true;
}

bool Encoder::can_be_center(std::span<const float> center) {
  return std::all_of(center.begin(), center.end(), [](float value) { return std::fabs(value) < kLargestNorm; });
}

std::optional<Encoder::Rotated> Encoder::rotate(std::span<const float> vector) const {
  assert(vector.size() == dimension());
  Rotated result{.values = {vector.begin(), vector.end()}};
  std::vector<float>& values = result.values;
  if (!normalize(metric_, values)) return {};
  const float by_center = dot_of_floats(values.data(), center_.data(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] -= center_[i];
  const float squared_norm = dot_of_floats(values.data(), values.data(), values.size());
  if (metric_ == DistanceMetric::ip) {
    result.offset = -dot_of_floats(values.data(), center_.data(), values.size());
    result.query_constant = 1 - by_center;
  } else {
    result.offset = squared_norm / 2;
    result.query_constant = squared_norm / 2;
  }
  std::vector<float> scratch(values.size());
  rotation_.apply(values, scratch);
  return result;
}

bool Encoder::encode(std::span<const float> vector, std::int8_t* codes, RowFactors& factors) const {
  const std::optional<Rotated> rotated = rotate(vector);
  if (!rotated) {
    std::memset(codes, 0, dimension());
    factors = {.offset = kNearestOfAll};
    return false;
  }
  const std::vector<float>& values = rotated->values;
  const float largest = largest_absolute(values);
  factors = {.offset = rotated->offset, .slope = 0, .scale = largest / 128};
  const float steps = largest > 0 ? 128 / largest : 0;
  float sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += std::fabs(values[i]);
    // A cut towards zero of something positive: rounding down, without a call for it.
    const int code = static_cast<int>(values[i] * steps + 128.0F) - 128;
    codes[i] = static_cast<std::int8_t>(std::clamp(code, -128, 127));
  }
  if (sum > 0) factors.slope = -dot_of_floats(values.data(), values.data(), values.size()) / sum;
  return true;
}

void pack_bits(const std::int8_t* codes, std::size_t rows, std::size_t dimension, std::uint8_t* bits) {
  std::memset(bits, 0, bit_bytes(dimension) * kBlockRows);
  for (std::size_t row = 0; row < rows; ++row, codes += dimension) {
    for (std::size_t i = 0; i < dimension; ++i) {
      const unsigned bit = codes[i] >= 0 ? 1 : 0;
      bits[i / 8 * kBlockRows + row] |= static_cast<std::uint8_t>(bit << i % 8);
    }
  }
}

DistanceByCode DistanceByCode::to_rotated(std::vector<float> query) {
  DistanceByCode made;
  made.rotated_ = std::move(query);
  made.make_tables();
  made.make_values();
  return made;
}

std::optional<DistanceByCode> DistanceByCode::to(const Encoder& encoder, std::span<const float> query) {
  std::optional<Encoder::Rotated> rotated = encoder.rotate(query);
  if (!rotated) return {};
  DistanceByCode made = to_rotated(std::move(rotated->values));
  made.constant_ = rotated->query_constant;
  made.metric_factor_ = encoder.metric() == DistanceMetric::l2 ? 2.0F : 1.0F;
  made.is_euclidean_ = encoder.metric() != DistanceMetric::ip;
  return made;
}

// For every four dimensions the sum of their query values with the signs that a nibble says, counted from the least one
// in steps that are the same for all tables.
void DistanceByCode::make_tables() {
  const std::size_t tables = bit_bytes(rotated_.size()) * 2;
  std::vector<float> padded = rotated_;
  padded.resize(tables * 4);
  float widest = 0;
  for (std::size_t table = 0; table < tables; ++table) {
    float reach = 0;
    for (std::size_t i = 0; i < 4; ++i) reach += std::fabs(padded[table * 4 + i]);
    bias_ -= reach;
    widest = std::max(widest, 2 * reach);
  }
  step_ = widest / kLargestTableEntry;
  const float entries_per_value = widest > 0 ? kLargestTableEntry / widest : 0;
  entries_.resize(tables * kTableEntries);
  for (std::size_t table = 0; table < tables; ++table) {
    const float* values = padded.data() + table * 4;
    for (std::size_t nibble = 0; nibble < kTableEntries; ++nibble) {
      float above_least = 0;  // twice each value whose sign fits
      for (std::size_t i = 0; i < 4; ++i) {
        const bool is_positive = (nibble >> i & 1) != 0;
        if (is_positive == (values[i] > 0)) above_least += 2 * std::fabs(values[i]);
      }
      entries_[table * kTableEntries + nibble] =
          static_cast<std::uint8_t>(std::min<float>(above_least * entries_per_value + 0.5F, kLargestTableEntry));
    }
  }
}

void DistanceByCode::make_values() {
  const float largest = largest_absolute(rotated_);
  value_step_ = largest / kLargestQueryValue;
  const float per_step = largest > 0 ? kLargestQueryValue / largest : 0;
  std::int64_t sum = 0;
  float absolute_sum = 0;
  values_.resize(rotated_.size());
  for (std::size_t i = 0; i < rotated_.size(); ++i) {
    values_[i] = static_cast<std::int16_t>(std::lround(rotated_[i] * per_step));
    sum += values_[i];
    absolute_sum += std::fabs(rotated_[i]);
  }
  half_value_sum_ = static_cast<float>(sum) / 2;
  // Each byte is wrong by up to half a step, each query value by half of its own; as if evenly spread.
  const auto dimension = static_cast<float>(rotated_.size());
  norm_ = std::sqrt(dot_of_floats(rotated_.data(), rotated_.data(), rotated_.size()));
  const float deviation = (norm_ + 128 * std::sqrt(dimension) * value_step_) / std::sqrt(12.0F);
  const float everything = absolute_sum / 2 + 128 * dimension * value_step_ / 2;
  error_per_scale_ = std::min(5 * deviation, everything);
}

float DistanceByCode::error(const RowFactors& factors, std::int32_t dot) const {
  if (factors.offset <= kNearestOfAll) return -4 * kNearestOfAll;  // nothing is known of it
  constexpr float kRounding = 4e-6F;                               // of floats
  const float rounding =
      kRounding * (std::fabs(constant_) + std::fabs(factors.offset) + std::fabs(product(factors, dot)) + 1e-3F);
  return metric_factor_ * (factors.scale * error_per_scale_ + rounding);
}

// The signs of a row are its direction, as far as they go, and a rest across it that a random rotation points anywhere.
// Its product with the query, times the slope, is the error: it has a standard deviation of slope * sqrt(1 - 2 / pi)
// times the part of the query that lies across the row, and that is at most as long as row and query are apart.
float DistanceByCode::estimate_limit(float slope, float distance) const {
  constexpr float kRest = 0.6028F;     // sqrt(1 - 2 / pi)
  constexpr float kDeviations = 2.0F;  // one in 44 errors of a normal distribution is larger, to this side
  const float half_square = std::max(distance / metric_factor_, 0.0F);
  const float across = is_euclidean_ ? std::min(norm_, std::sqrt(2 * half_square)) : norm_;
  return distance / metric_factor_ - constant_ + kDeviations * kRest * std::fabs(slope) * across;
}

}  // namespace loci
