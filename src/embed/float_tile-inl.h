// The float product that the dense steps and the attention share. Included once per target.
#if defined(LOCI_EMBED_FLOAT_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCI_EMBED_FLOAT_TILE_INL_H_
#undef LOCI_EMBED_FLOAT_TILE_INL_H_
#else
#define LOCI_EMBED_FLOAT_TILE_INL_H_
#endif

#include <algorithm>
#include <cstddef>

#include <hwy/highway.h>

#include "embed/encoder_weights.h"
#include "embed/unroll.h"

HWY_BEFORE_NAMESPACE();
namespace loci::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::FixedTag<float, HWY_MIN(HWY_LANES(float), kPanelWidth)>;
using FloatVector = hn::Vec<FloatTag>;
inline constexpr std::size_t kFloatLanes = HWY_MIN(HWY_LANES(float), kPanelWidth);

// Sums of a tile stay in registers: 6 * 4 of 32 where vectors are as wide as a panel, 6 * 2 of 16 elsewhere.
inline constexpr std::size_t kTileRows = 6;
inline constexpr std::size_t kTileVectors = kFloatLanes == kPanelWidth ? 4 : 2;

// left: rows of `depth` floats, `stride` apart. right: panels of [depth][16].
struct FloatProduct {
  const float* left;
  std::size_t left_stride;
  std::size_t depth;
  const float* right;
  const float* bias;  // one for each column, or null
  float* out;
  std::size_t out_stride;
};

template <std::size_t kRows, std::size_t kVectors>
HWY_ATTR void multiply_tile(const FloatProduct& product, std::size_t row, std::size_t column) {
  const FloatTag tag;
  const float* left = product.left + row * product.left_stride;
  const float* right[kVectors];
  FloatVector sums[kRows][kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) {
    const std::size_t at = column + v * kFloatLanes;
    right[v] = product.right + at / kPanelWidth * (product.depth * kPanelWidth) + at % kPanelWidth;
    const FloatVector bias = product.bias == nullptr ? hn::Zero(tag) : hn::LoadU(tag, product.bias + at);
    for (std::size_t r = 0; r < kRows; ++r) sums[r][v] = bias;
  }
  for (std::size_t k = 0; k < product.depth; ++k) {
    FloatVector weights[kVectors];
    LOCI_UNROLL for (std::size_t v = 0; v < kVectors; ++v) weights[v] = hn::LoadU(tag, right[v] + k * kPanelWidth);
    LOCI_UNROLL for (std::size_t r = 0; r < kRows; ++r) {
      const FloatVector value = hn::Set(tag, left[r * product.left_stride + k]);
      LOCI_UNROLL for (std::size_t v = 0; v < kVectors; ++v) sums[r][v] = hn::MulAdd(value, weights[v], sums[r][v]);
    }
  }
  for (std::size_t r = 0; r < kRows; ++r) {
    float* out = product.out + (row + r) * product.out_stride + column;
    for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(sums[r][v], tag, out + v * kFloatLanes);
  }
}

template <std::size_t kRows>
HWY_ATTR void multiply_rows(const FloatProduct& product, std::size_t row, std::size_t columns) {
  std::size_t column = 0;
  for (; column + kTileVectors * kFloatLanes <= columns; column += kTileVectors * kFloatLanes) {
    multiply_tile<kRows, kTileVectors>(product, row, column);
  }
  for (; column < columns; column += kFloatLanes) multiply_tile<kRows, 1>(product, row, column);
}

// Columns [0, columns) of one block of at most kTileRows rows.
HWY_ATTR inline void multiply_block(const FloatProduct& product, std::size_t row, std::size_t rows,
                                    std::size_t columns) {
  switch (rows) {
    case 1: return multiply_rows<1>(product, row, columns);
    case 2: return multiply_rows<2>(product, row, columns);
    case 3: return multiply_rows<3>(product, row, columns);
    case 4: return multiply_rows<4>(product, row, columns);
    case 5: return multiply_rows<5>(product, row, columns);
    default: return multiply_rows<kTileRows>(product, row, columns);
  }
}

}  // namespace loci::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
