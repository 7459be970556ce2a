// The product of bytes with int8 weights, for every processor. Those with instructions for just this have vnni.cc.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "embed/int8_kernels.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <algorithm>
#include <cstring>
#include <vector>

#include <hwy/highway.h>

#include "embed/kernels.h"
#include "embed/unroll.h"
#include "embed/vnni.h"

HWY_BEFORE_NAMESPACE();
namespace loci::HWY_NAMESPACE {
namespace {
// 6 * 2 of 16 registers hold sums.
constexpr std::size_t kTileRows = 6;

#if HWY_TARGET == HWY_SCALAR

template <std::size_t kRows>
void multiply_rows(const DenseWeights& weights, const std::int16_t* in, const RowScale* scales, float* out) {
  for (std::size_t r = 0; r < kRows; ++r, in += weights.inputs, out += weights.outputs) {
    for (std::size_t column = 0; column < weights.outputs; ++column) {
      const std::int8_t* panel = weights.int8_panels + column / kPanelWidth * (weights.inputs * kPanelWidth) +
                                 column % kPanelWidth * kInputGroup;
      std::int32_t sum = -scales[r].zero * weights.sums[column];
      for (std::size_t k = 0; k < weights.inputs; ++k) {
        sum += in[k] * panel[k / kInputGroup * (kPanelWidth * kInputGroup) + k % kInputGroup];
      }
      out[column] = static_cast<float>(sum) * (scales[r].scale * weights.scales[column]) + weights.bias[column];
    }
  }
}

#else

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kLanes = HWY_MIN(HWY_LANES(std::int32_t), kPanelWidth);
using IntegerTag = hn::FixedTag<std::int32_t, kLanes>;
using ShortTag = hn::FixedTag<std::int16_t, 2 * kLanes>;
using IntegerVector = hn::Vec<IntegerTag>;
using ShortVector = hn::Vec<ShortTag>;

// Adds the products of neighbours: each pair of 16-bit numbers gives one of 32 bits.
HWY_ATTR IntegerVector add_products(IntegerVector sums, ShortVector left, ShortVector right) {
#if HWY_ARCH_X86
  const IntegerTag tag;
  IntegerVector unused = hn::Zero(tag);
  return hn::ReorderWidenMulAccumulate(tag, left, right, sums, unused);  // keeps neighbours together on x86 only
#else
  const IntegerTag tag;
  const auto even = [&](ShortVector v) { return hn::ShiftRight<16>(hn::ShiftLeft<16>(hn::BitCast(tag, v))); };
  const auto odd = [&](ShortVector v) { return hn::ShiftRight<16>(hn::BitCast(tag, v)); };
  return hn::Add(sums, hn::Add(hn::Mul(even(left), even(right)), hn::Mul(odd(left), odd(right))));
#endif
}

HWY_ATTR void store_row(const DenseWeights& weights, std::size_t column, IntegerVector sums, RowScale row, float* out) {
  const IntegerTag tag;
  const hn::Rebind<float, IntegerTag> float_tag;
  const auto excess = hn::Mul(hn::Set(tag, row.zero), hn::LoadU(tag, weights.sums + column));
  const auto scale = hn::Mul(hn::Set(float_tag, row.scale), hn::LoadU(float_tag, weights.scales + column));
  const auto value = hn::ConvertTo(float_tag, hn::Sub(sums, excess));
  hn::StoreU(hn::MulAdd(value, scale, hn::LoadU(float_tag, weights.bias + column)), float_tag, out + column);
}

// `in` are rows of 16-bit numbers: four of them are multiplied with four inputs of as many outputs as fit.
template <std::size_t kRows>
HWY_ATTR void multiply_rows(const DenseWeights& weights, const std::int16_t* in, const RowScale* scales, float* out) {
  const IntegerTag tag;
  const ShortTag short_tag;
  const hn::Rebind<std::int8_t, ShortTag> byte_tag;
  const hn::Repartition<std::int64_t, ShortTag> group_tag;
  constexpr std::size_t kHalf = 2 * kLanes;  // bytes of weights in one vector of 16-bit numbers
  for (std::size_t column = 0; column < weights.outputs; column += kLanes) {
    const std::int8_t* panel = weights.int8_panels + column / kPanelWidth * (weights.inputs * kPanelWidth) +
                               column % kPanelWidth * kInputGroup;
    IntegerVector low[kRows];
    IntegerVector high[kRows];
    for (std::size_t r = 0; r < kRows; ++r) low[r] = high[r] = hn::Zero(tag);
    for (std::size_t k = 0; k < weights.inputs; k += kInputGroup, panel += kPanelWidth * kInputGroup) {
      const ShortVector first = hn::PromoteTo(short_tag, hn::LoadU(byte_tag, panel));
      const ShortVector second = hn::PromoteTo(short_tag, hn::LoadU(byte_tag, panel + kHalf));
      LOCI_UNROLL for (std::size_t r = 0; r < kRows; ++r) {
        std::int64_t group;
        std::memcpy(&group, in + r * weights.inputs + k, sizeof group);
        const ShortVector values = hn::BitCast(short_tag, hn::Set(group_tag, group));
        low[r] = add_products(low[r], values, first);
        high[r] = add_products(high[r], values, second);
      }
    }
    for (std::size_t r = 0; r < kRows; ++r) {
      const IntegerVector sums = hn::Add(hn::ConcatEven(tag, high[r], low[r]), hn::ConcatOdd(tag, high[r], low[r]));
      store_row(weights, column, sums, scales[r], out + r * weights.outputs);
    }
  }
}

#endif

HWY_ATTR void multiply_int8_here(const DenseWeights& weights, const std::uint8_t* in, const RowScale* scales,
                                 std::size_t rows, float* out) {
  std::vector<std::int16_t> wide(kTileRows * weights.inputs);
  for (std::size_t row = 0; row < rows; row += kTileRows) {
    const std::size_t count = std::min(kTileRows, rows - row);
    std::copy_n(in + row * weights.inputs, count * weights.inputs, wide.begin());
    float* row_out = out + row * weights.outputs;
    switch (count) {
      case 1: multiply_rows<1>(weights, wide.data(), scales + row, row_out); break;
      case 2: multiply_rows<2>(weights, wide.data(), scales + row, row_out); break;
      case 3: multiply_rows<3>(weights, wide.data(), scales + row, row_out); break;
      case 4: multiply_rows<4>(weights, wide.data(), scales + row, row_out); break;
      case 5: multiply_rows<5>(weights, wide.data(), scales + row, row_out); break;
      default: multiply_rows<kTileRows>(weights, wide.data(), scales + row, row_out); break;
    }
  }
}

}  // namespace
}  // namespace loci::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace loci {

HWY_EXPORT(multiply_int8_here);

void multiply_int8_portable(const DenseWeights& weights, const std::uint8_t* in, const RowScale* scales,
                            std::size_t rows, float* out) {
  HWY_DYNAMIC_DISPATCH(multiply_int8_here)(weights, in, scales, rows, out);
}

void multiply_int8(const DenseWeights& weights, const std::uint8_t* in, const RowScale* scales, std::size_t rows,
                   float* out) {
  if (has_vnni()) return multiply_int8_vnni(weights, in, scales, rows, out);
  multiply_int8_portable(weights, in, scales, rows, out);
}

}  // namespace loci
#endif
