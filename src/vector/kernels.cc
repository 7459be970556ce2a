#include "vector/kernels.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>

// Vectors without a fixed size cannot stand in arrays, and no machine of ours has them.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vector/kernels.cc"
#include <hwy/foreach_target.h>  // includes this file once per target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace loci::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kLanes = 16;

// The same additions in the same order on every target: lane i sums the terms i, i + 16, i + 32, …
template <typename VectorTerm, typename ScalarTerm>
float sum_over_lanes(std::size_t size, const VectorTerm& vector_term, const ScalarTerm& scalar_term) {
  const hn::CappedTag<float, kLanes> tag;
  constexpr std::size_t kStep = hn::MaxLanes(hn::CappedTag<float, kLanes>());
  constexpr std::size_t kRegisters = kLanes / kStep;
  hn::Vec<decltype(tag)> sums[kRegisters];
  for (auto& sum : sums) sum = hn::Zero(tag);
  std::size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    for (std::size_t part = 0; part < kRegisters; ++part)
      sums[part] = hn::Add(sums[part], vector_term(tag, i + part * kStep));
  }
  HWY_ALIGN std::array<float, kLanes> lanes;
  for (std::size_t part = 0; part < kRegisters; ++part) hn::Store(sums[part], tag, lanes.data() + part * kStep);
  for (std::size_t lane = 0; i < size; ++i, ++lane) lanes[lane] += scalar_term(i);
  return std::accumulate(lanes.begin(), lanes.end(), 0.0F);
}

float dot_of_floats_here(const float* a, const float* b, std::size_t size) {
  return sum_over_lanes(
      size, [&](auto tag, std::size_t i) { return hn::Mul(hn::LoadU(tag, a + i), hn::LoadU(tag, b + i)); },
      [&](std::size_t i) { return a[i] * b[i]; });
}

float squared_difference_of_floats_here(const float* a, const float* b, std::size_t size) {
  return sum_over_lanes(
      size,
      [&](auto tag, std::size_t i) {
        const auto difference = hn::Sub(hn::LoadU(tag, a + i), hn::LoadU(tag, b + i));
        return hn::Mul(difference, difference);
      },
      [&](std::size_t i) { return (a[i] - b[i]) * (a[i] - b[i]); });
}

void hadamard_transform_here(float* values, std::size_t size) {
  const hn::CappedTag<float, kLanes> tag;
  const std::size_t step = hn::Lanes(tag);
  for (std::size_t half = 1; half < size; half *= 2) {
    for (std::size_t begin = 0; begin < size; begin += 2 * half) {
      float* const low = values + begin;
      float* const high = low + half;
      std::size_t i = 0;
      for (; i + step <= half; i += step) {
        const auto a = hn::LoadU(tag, low + i);
        const auto b = hn::LoadU(tag, high + i);
        hn::StoreU(hn::Add(a, b), tag, low + i);
        hn::StoreU(hn::Sub(a, b), tag, high + i);
      }
      for (; i < half; ++i) {
        const float a = low[i];
        const float b = high[i];
        low[i] = a + b;
        high[i] = a - b;
      }
    }
  }
}

void dots_of_codes_here(const std::int8_t* codes, std::size_t rows, std::size_t dimension, const std::int16_t* query,
                        std::int32_t* dots) {
  const hn::ScalableTag<std::int16_t> tag16;
  const hn::Rebind<std::int8_t, decltype(tag16)> tag8;
  const hn::RepartitionToWide<decltype(tag16)> tag32;
  const std::size_t step = hn::Lanes(tag16);
  for (std::size_t row = 0; row < rows; ++row, codes += dimension) {
    auto sum = hn::Zero(tag32);
    auto other = hn::Zero(tag32);
    std::size_t i = 0;
    for (; i + step <= dimension; i += step) {
      const auto widened = hn::PromoteTo(tag16, hn::LoadU(tag8, codes + i));
      sum = hn::ReorderWidenMulAccumulate(tag32, widened, hn::LoadU(tag16, query + i), sum, other);
    }
    std::int32_t dot = hn::GetLane(hn::SumOfLanes(tag32, hn::Add(sum, other)));
    for (; i < dimension; ++i) dot += std::int32_t{codes[i]} * query[i];
    dots[row] = dot;
  }
}

// Sums of table entries of one block, by row.
#if HWY_TARGET == HWY_SCALAR
void sum_tables(const std::uint8_t* bits, std::span<const std::uint8_t> entries, std::uint16_t* sums) {
  std::fill_n(sums, kBlockRows, std::uint16_t{0});
  for (std::size_t byte = 0; byte < entries.size() / (2 * kTableEntries); ++byte) {
    const std::uint8_t* const low = entries.data() + byte * 2 * kTableEntries;
    const std::uint8_t* const high = low + kTableEntries;
    for (std::size_t row = 0; row < kBlockRows; ++row) {
      const std::uint8_t code = bits[byte * kBlockRows + row];
      sums[row] = static_cast<std::uint16_t>(sums[row] + low[code & 15] + high[code >> 4]);
    }
  }
}
#else
HWY_INLINE void sum_tables(const std::uint8_t* bits, std::span<const std::uint8_t> entries, std::uint16_t* sums) {
  const hn::CappedTag<std::uint8_t, kBlockRows> tag8;
  const hn::RepartitionToWide<decltype(tag8)> tag16;
  const auto low_nibble = hn::Set(tag8, 0x0F);
  const auto low_byte = hn::Set(tag16, 0x00FF);
  const std::size_t steps = entries.size() / (4 * kTableEntries);
  for (std::size_t row = 0; row < kBlockRows; row += hn::Lanes(tag8)) {
    auto even = hn::Zero(tag16);
    auto odd = hn::Zero(tag16);
    const std::uint8_t* from = bits + row;
    const std::uint8_t* table = entries.data();
    for (std::size_t i = 0; i < steps; ++i, from += 2 * kBlockRows, table += 4 * kTableEntries) {
      const auto first = hn::LoadU(tag8, from);
      const auto second = hn::LoadU(tag8, from + kBlockRows);
      const auto entry = [&](std::size_t number, auto nibbles) {
        return hn::TableLookupBytes(hn::LoadDup128(tag8, table + number * kTableEntries), nibbles);
      };
      const auto from_first = hn::Add(entry(0, hn::And(first, low_nibble)), entry(1, hn::ShiftRight<4>(first)));
      const auto from_second = hn::Add(entry(2, hn::And(second, low_nibble)), entry(3, hn::ShiftRight<4>(second)));
      const auto both = hn::BitCast(tag16, hn::Add(from_first, from_second));
      even = hn::Add(even, hn::And(both, low_byte));
      odd = hn::Add(odd, hn::ShiftRight<8>(both));
    }
    hn::StoreInterleaved2(even, odd, tag16, sums + row);
  }
}
#endif

std::uint64_t estimate_block_here(const BitBlock& block, const BitTables& tables, float threshold, float* estimates) {
  HWY_ALIGN std::array<std::uint16_t, kBlockRows> sums;
  sum_tables(block.bits, tables.entries, sums.data());
  const hn::CappedTag<float, kLanes> tag;
  const hn::RebindToSigned<decltype(tag)> tag32;
  const hn::Rebind<std::uint16_t, decltype(tag)> tag16;
  const auto bias = hn::Set(tag, tables.bias);
  const auto step = hn::Set(tag, tables.step);
  const auto limit = hn::Set(tag, threshold);
  std::uint64_t near = 0;
  for (std::size_t row = 0; row < kBlockRows; row += hn::Lanes(tag)) {
    const auto sum = hn::ConvertTo(tag, hn::PromoteTo(tag32, hn::LoadU(tag16, sums.data() + row)));
    const auto dot = hn::Add(bias, hn::Mul(step, sum));
    const auto estimate =
        hn::Add(hn::LoadU(tag, block.offsets + row), hn::Mul(hn::LoadU(tag, block.slopes + row), dot));
    hn::StoreU(estimate, tag, estimates + row);
    std::array<std::uint8_t, 8> mask{};
    hn::StoreMaskBits(tag, hn::Le(estimate, limit), mask.data());
    near |= (std::uint64_t{mask[0]} | std::uint64_t{mask[1]} << 8) << row;
  }
  return near;
}

}  // namespace
}  // namespace loci::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace loci {

HWY_EXPORT(dot_of_floats_here);
HWY_EXPORT(squared_difference_of_floats_here);
HWY_EXPORT(hadamard_transform_here);
HWY_EXPORT(dots_of_codes_here);
HWY_EXPORT(estimate_block_here);

float dot_of_floats(const float* a, const float* b, std::size_t size) {
  return HWY_DYNAMIC_DISPATCH(dot_of_floats_here)(a, b, size);
}

float squared_difference_of_floats(const float* a, const float* b, std::size_t size) {
  return HWY_DYNAMIC_DISPATCH(squared_difference_of_floats_here)(a, b, size);
}

void hadamard_transform(float* values, std::size_t size) {
  assert((size & (size - 1)) == 0);
  HWY_DYNAMIC_DISPATCH(hadamard_transform_here)(values, size);
}

void dots_of_codes(const std::int8_t* codes, std::size_t rows, std::size_t dimension, const std::int16_t* query,
                   std::int32_t* dots) {
  assert(dimension <= kLargestDimension);
  HWY_DYNAMIC_DISPATCH(dots_of_codes_here)(codes, rows, dimension, query, dots);
}

std::uint64_t estimate_block(const BitBlock& block, const BitTables& tables, float threshold, float* estimates) {
  assert(tables.entries.size() % (4 * kTableEntries) == 0);
  return HWY_DYNAMIC_DISPATCH(estimate_block_here)(block, tables, threshold, estimates);
}

}  // namespace loci
#endif  // HWY_ONCE
