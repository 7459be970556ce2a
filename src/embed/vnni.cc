#include "embed/vnni.h"

#if defined(__x86_64__)

#include <algorithm>
#include <cstring>

#include <immintrin.h>

#define LOCI_VNNI_CODE __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,fma")))
#define LOCI_VNNI LOCI_VNNI_CODE __attribute__((always_inline)) inline

namespace loci {
namespace {

// 6 * 4 of 32 registers hold sums.
constexpr std::size_t kTileRows = 6;
constexpr std::size_t kTilePanels = 4;

// Sums of a tile, by name and not by index: g++ writes arrays of vectors back to memory in every step, at half the
// speed.
template <std::size_t kPanels>
struct RowSums {
  __m512i first;
  RowSums<kPanels - 1> rest;
};
template <>
struct RowSums<0> {};

template <std::size_t kRows, std::size_t kPanels>
struct TileSums {
  RowSums<kPanels> row;
  TileSums<kRows - 1, kPanels> rest;
};
template <std::size_t kPanels>
struct TileSums<0, kPanels> {};

template <std::size_t kPanels>
LOCI_VNNI void load_panels(const std::int8_t* panels, std::size_t panel_bytes, RowSums<kPanels>& out) {
  out.first = _mm512_loadu_si512(panels);
  if constexpr (kPanels > 1) load_panels(panels + panel_bytes, panel_bytes, out.rest);
}

// One instruction multiplies four bytes of a row with four inputs of each of a panel's 16 outputs, and adds them up.
// By its name and not as an intrinsic, around which g++ 12 copies every sum and writes it to memory, at half the speed.
template <std::size_t kPanels>
LOCI_VNNI void add_products(__m512i values, const RowSums<kPanels>& weights, RowSums<kPanels>& sums) {
  __asm__("vpdpbusd %2, %1, %0" : "+v"(sums.first) : "v"(values), "v"(weights.first));
  if constexpr (kPanels > 1) add_products(values, weights.rest, sums.rest);
}

template <std::size_t kRows, std::size_t kPanels>
LOCI_VNNI void add_rows(const std::uint8_t* in, std::size_t inputs, const RowSums<kPanels>& weights,
                        TileSums<kRows, kPanels>& sums) {
  std::int32_t bytes;
  std::memcpy(&bytes, in, sizeof bytes);
  add_products(_mm512_set1_epi32(bytes), weights, sums.row);
  if constexpr (kRows > 1) add_rows(in + inputs, inputs, weights, sums.rest);
}

template <std::size_t kPanels>
LOCI_VNNI void store_row(const DenseWeights& weights, std::size_t column, const RowSums<kPanels>& sums, RowScale row,
                         float* out) {
  const __m512i excess = _mm512_mullo_epi32(_mm512_set1_epi32(row.zero), _mm512_loadu_si512(weights.sums + column));
  const __m512 scale = _mm512_mul_ps(_mm512_set1_ps(row.scale), _mm512_loadu_ps(weights.scales + column));
  const __m512 value = _mm512_cvtepi32_ps(_mm512_sub_epi32(sums.first, excess));
  _mm512_storeu_ps(out + column, _mm512_fmadd_ps(value, scale, _mm512_loadu_ps(weights.bias + column)));
  if constexpr (kPanels > 1) store_row(weights, column + kPanelWidth, sums.rest, row, out);
}

template <std::size_t kRows, std::size_t kPanels>
LOCI_VNNI void store_rows(const DenseWeights& weights, std::size_t column, const TileSums<kRows, kPanels>& sums,
                          const RowScale* scales, float* out) {
  store_row(weights, column, sums.row, *scales, out);
  if constexpr (kRows > 1) store_rows(weights, column, sums.rest, scales + 1, out + weights.outputs);
}

template <std::size_t kRows, std::size_t kPanels>
LOCI_VNNI_CODE void multiply_tile(const DenseWeights& weights, const std::uint8_t* in, const RowScale* scales,
                                  std::size_t column, float* out) {
  const std::size_t panel_bytes = weights.inputs * kPanelWidth;
  const std::int8_t* panels = weights.int8_panels + column / kPanelWidth * panel_bytes;
  TileSums<kRows, kPanels> sums = {};
  for (std::size_t k = 0; k < weights.inputs; k += kInputGroup) {
    RowSums<kPanels> group;
    load_panels(panels + k * kPanelWidth, panel_bytes, group);
    add_rows(in + k, weights.inputs, group, sums);
  }
  store_rows(weights, column, sums, scales, out);
}

// All rows of one strip of columns, whose weights then stay in the cache.
template <std::size_t kPanels>
LOCI_VNNI_CODE void multiply_strip(const DenseWeights& weights, const std::uint8_t* in, const RowScale* scales,
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
