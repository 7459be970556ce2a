// The inner loops of the vector index, compiled for every instruction set of this machine's family and chosen at run
// time. All of them give the same bits on every target: sums of integers have no order, and floats are added in a fixed
// one, never fused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace loci {

// Rows whose one-bit codes lie interleaved and are scanned together.
inline constexpr std::size_t kBlockRows = 64;
// Dimensions that one step of the bit scan takes: two bytes of a row, four tables of four dimensions each.
inline constexpr std::size_t kBitStepDimensions = 16;
inline constexpr std::size_t kTableEntries = 16;
// The largest entry of a table: four of them fit into a byte.
inline constexpr std::uint8_t kLargestTableEntry = 63;
inline constexpr std::size_t kLargestDimension = 4096;

// Sums of products over 16 lanes that are added up at the end, lane by lane.
float dot_of_floats(const float* a, const float* b, std::size_t size);
float squared_difference_of_floats(const float* a, const float* b, std::size_t size);

// In place; the size is a power of two. Not scaled: applying it twice multiplies by the size.
void hadamard_transform(float* values, std::size_t size);

// For `rows` rows of `dimension` codes each, one after the other: their dot products with the query, whose values lie
// within +-4095 so that no sum overflows.
inline constexpr std::int16_t kLargestQueryValue = 4095;
void dots_of_codes(const std::int8_t* codes, std::size_t rows, std::size_t dimension, const std::int16_t* query,
                   std::int32_t* dots);

// A query as the bit scan takes it. The estimate of a row is offset + slope * (bias + step * sum of its table entries).
struct BitTables {
  std::span<const std::uint8_t> entries;  // kTableEntries for every four dimensions
  float bias = 0;
  float step = 0;
};
// One block of kBlockRows rows: byte `i * kBlockRows + row` holds dimensions 8i to 8i+7 of a row.
struct BitBlock {
  const std::uint8_t* bits;
  const float* offsets;
  const float* slopes;
};
// Writes the estimates of the block's rows and returns which of them (bit 0: the first row) are at most `threshold`.
std::uint64_t estimate_block(const BitBlock& block, const BitTables& tables, float threshold, float* estimates);

}  // namespace loci
