// What is done to rows between the products.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "embed/row_kernels.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

#include "embed/float_tile-inl.h"
#include "embed/kernels.h"
#include "embed/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace loci::HWY_NAMESPACE {
namespace {

HWY_ATTR void apply_gelu_here(float* values, std::size_t count) {
  const FloatTag tag;
  for (std::size_t i = 0; i < count; i += kFloatLanes)
    hn::StoreU(gelu(tag, hn::LoadU(tag, values + i)), tag, values + i);
}

HWY_ATTR void normalize_row(const NormWeights& weights, float epsilon, float* values, std::size_t width) {
  const FloatTag tag;
  const FloatVector inverse_width = hn::Set(tag, 1.0F / static_cast<float>(width));
  FloatVector sum = hn::Zero(tag);
  for (std::size_t i = 0; i < width; i += kFloatLanes) sum = hn::Add(sum, hn::LoadU(tag, values + i));
  const FloatVector mean = hn::Mul(hn::SumOfLanes(tag, sum), inverse_width);
  FloatVector squares = hn::Zero(tag);
  for (std::size_t i = 0; i < width; i += kFloatLanes) {
    const FloatVector difference = hn::Sub(hn::LoadU(tag, values + i), mean);
    squares = hn::MulAdd(difference, difference, squares);
  }
  const FloatVector variance = hn::Mul(hn::SumOfLanes(tag, squares), inverse_width);
  const FloatVector inverse = hn::Div(hn::Set(tag, 1.0F), hn::Sqrt(hn::Add(variance, hn::Set(tag, epsilon))));
  for (std::size_t i = 0; i < width; i += kFloatLanes) {
    const FloatVector scaled = hn::Mul(hn::Sub(hn::LoadU(tag, values + i), mean), inverse);
    const FloatVector out = hn::MulAdd(scaled, hn::LoadU(tag, weights.weight + i), hn::LoadU(tag, weights.bias + i));
    hn::StoreU(out, tag, values + i);
  }
}

HWY_ATTR void normalize_rows_here(const NormWeights& weights, float epsilon, float* values, std::size_t rows,
                                  std::size_t width) {
  for (std::size_t row = 0; row < rows; ++row) normalize_row(weights, epsilon, values + row * width, width);
}

HWY_ATTR void add_and_normalize_rows_here(const NormWeights& weights, float epsilon, const float* added, float* values,
                                          std::size_t rows, std::size_t width) {
  const FloatTag tag;
  for (std::size_t row = 0; row < rows; ++row, values += width, added += width) {
    for (std::size_t i = 0; i < width; i += kFloatLanes) {
      hn::StoreU(hn::Add(hn::LoadU(tag, values + i), hn::LoadU(tag, added + i)), tag, values + i);
    }
    normalize_row(weights, epsilon, values, width);
  }
}

HWY_ATTR RowScale quantize_row(const float* in, std::size_t width, std::uint8_t* out) {
  const FloatTag tag;
  const hn::Rebind<std::int32_t, FloatTag> integer_tag;
  const hn::Rebind<std::uint8_t, FloatTag> byte_tag;
  // 0 is always among the values, so that it is kept exactly.
  FloatVector least = hn::Zero(tag);
  FloatVector most = hn::Zero(tag);
  for (std::size_t i = 0; i < width; i += kFloatLanes) {
    const FloatVector values = hn::LoadU(tag, in + i);
    least = hn::Min(least, values);
    most = hn::Max(most, values);
  }
  const float low = hn::GetLane(hn::MinOfLanes(tag, least));
  const float range = hn::GetLane(hn::MaxOfLanes(tag, most)) - low;
  const float scale = range > 0.0F ? range / 255.0F : 1.0F;
  const auto zero = static_cast<std::int32_t>(std::lround(-low / scale));
  const FloatVector inverse = hn::Set(tag, 1.0F / scale);
  const auto offset = hn::Set(integer_tag, zero);
  for (std::size_t i = 0; i < width; i += kFloatLanes) {
    const auto rounded = hn::NearestInt(hn::Mul(hn::LoadU(tag, in + i), inverse));
    hn::StoreU(hn::DemoteTo(byte_tag, hn::Add(rounded, offset)), byte_tag, out + i);
  }
  return {scale, zero};
}

HWY_ATTR void quantize_rows_here(const float* in, std::size_t rows, std::size_t width, std::uint8_t* out,
                                 RowScale* scales) {
  for (std::size_t row = 0; row < rows; ++row) scales[row] = quantize_row(in + row * width, width, out + row * width);
}

}  // namespace
}  // namespace loci::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace loci {

HWY_EXPORT(apply_gelu_here);
HWY_EXPORT(normalize_rows_here);
HWY_EXPORT(add_and_normalize_rows_here);
HWY_EXPORT(quantize_rows_here);

void apply_gelu(float* values, std::size_t count) { HWY_DYNAMIC_DISPATCH(apply_gelu_here)(values, count); }

void normalize_rows(const NormWeights& weights, float epsilon, float* values, std::size_t rows, std::size_t width) {
  HWY_DYNAMIC_DISPATCH(normalize_rows_here)(weights, epsilon, values, rows, width);
}

void add_and_normalize_rows(const NormWeights& weights, float epsilon, const float* added, float* values,
                            std::size_t rows, std::size_t width) {
  HWY_DYNAMIC_DISPATCH(add_and_normalize_rows_here)(weights, epsilon, added, values, rows, width);
}

void quantize_rows(const float* in, std::size_t rows, std::size_t width, std::uint8_t* out, RowScale* scales) {
  HWY_DYNAMIC_DISPATCH(quantize_rows_here)(in, rows, width, out, scales);
}

}  // namespace loci
#endif
