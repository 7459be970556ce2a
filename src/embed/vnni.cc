#include "embed/vnni.h"

#if defined(__x86_64__)

#include <algorithm>
#include <cstring>

#include <immintrin.h>

#include "embed/unroll.h"

#define LOCI_VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,fma")))

namespace loci {
namespace {

// 6 * 4 of 32 registers hold sums.
constexpr std::size_t kTileRows = 6;
constexpr std::size_t kTilePanels = 4;

LOCI_VNNI void store_sums(const DenseWeights& weights, std::size_t column, __m512i sums, RowScale row, float* out) {
  const __m512i excess = _mm512_mullo_epi32(_mm512_set1_epi32(row.zero), _mm512_loadu_si512(weights.sums + column));
  const __m512 scale = _mm512_mul_ps(_mm512_set1_ps(row.scale), _mm512_loadu_ps(weights.scales + column));
  const __m512 value = _mm512_cvtepi32_ps(_mm512_sub_epi32(sums, excess));
  _mm512_storeu_ps(out + column, _mm512_fmadd_ps(value, scale, _mm512_loadu_ps(weights.bias + column)));
}

// One instruction multiplies four bytes of a row with four inputs of each of a panel's 16 outputs, and adds them up.
template <std::size_t kRows, std::size_t kPanels>
LOCI_VNNI void multiply_tile(const DenseWeights& weights, const std::uint8_t* in, const RowScale* scales,
                             std::size_t column, float* out) {
  const std::size_t panel_bytes = weights.inputs * kPanelWidth;
  const std::int8_t* panels = weights.int8_panels + column / kPanelWidth * panel_bytes;
  __m512i sums[kRows][kPanels];
  LOCI_UNROLL for (std::size_t r = 0; r < kRows; ++r) {
    LOCI_UNROLL for (std::size_t p = 0; p < kPanels; ++p) sums[r][p] = _mm512_setzero_si512();
  }
  for (std::size_t k = 0; k < weights.inputs; k += kInputGroup) {
    __m512i group[kPanels];
    LOCI_UNROLL for (std::size_t p = 0; p < kPanels; ++p) {
      group[p] = _mm512_loadu_si512(panels + p * panel_bytes + k * kPanelWidth);
    }
    LOCI_UNROLL for (std::size_t r = 0; r < kRows; ++r) {
      std::int32_t bytes;
      std::memcpy(&bytes, in + r * weights.inputs + k, sizeof bytes);
      const __m512i values = _mm512_set1_epi32(bytes);
      LOCI_UNROLL for (std::size_t p = 0; p < kPanels; ++p) {
        sums[r][p] = _mm512_dpbusd_epi32(sums[r][p], values, group[p]);
      }
    }
  }
  LOCI_UNROLL for (std::size_t r = 0; r < kRows; ++r) {
    LOCI_UNROLL for (std::size_t p = 0; p < kPanels; ++p) {
      store_sums(weights, column + p * kPanelWidth, sums[r][p], scales[r], out + r * weights.outputs);
    }
  }
}

// All rows of one strip of columns, whose weights then stay in the cache.
template <std::size_t kPanels>
LOCI_VNNI void multiply_strip(const DenseWeights& weights, const std::uint8_t* in, const RowScale* scales,
                              std::size_t rows, std::size_t column, float* out) {
  for (std::size_t row = 0; row < rows; row += kTileRows) {
    const std::uint8_t* row_in = in + row * weights.inputs;
    float* row_out = out + row * weights.outputs;
    switch (std::min(kTileRows, rows - row)) {
      case 1: multiply_tile<1, kPanels>(weights, row_in, scales + row, column, row_out); break;
      case 2: multiply_tile<2, kPanels>(weights, row_in, scales + row, column, row_out); break;
      case 3: multiply_tile<3, kPanels>(weights, row_in, scales + row, column, row_out); break;
      case 4: multiply_tile<4, kPanels>(weights, row_in, scales + row, column, row_out); break;
      case 5: multiply_tile<5, kPanels>(weights, row_in, scales + row, column, row_out); break;
      default: multiply_tile<kTileRows, kPanels>(weights, row_in, scales + row, column, row_out); break;
    }
  }
}

}  // namespace

bool has_vnni() {
  return __builtin_cpu_supports("avx512vnni") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0;
}

void multiply_int8_vnni(const DenseWeights& weights, const std::uint8_t* in, const RowScale* scales, std::size_t rows,
                        float* out) {
  constexpr std::size_t kStrip = kTilePanels * kPanelWidth;
  std::size_t column = 0;
  for (; column + kStrip <= weights.outputs; column += kStrip) {
    multiply_strip<kTilePanels>(weights, in, scales, rows, column, out);
  }
  for (; column < weights.outputs; column += kPanelWidth) multiply_strip<1>(weights, in, scales, rows, column, out);
}

}  // namespace loci

#else

namespace loci {

bool has_vnni() { return false; }

void multiply_int8_vnni(const DenseWeights& weights, const std::uint8_t* in, const RowScale* scales, std::size_t rows,
                        float* out) {
  multiply_int8_portable(weights, in, scales, rows, out);
}

}  // namespace loci

#endif
