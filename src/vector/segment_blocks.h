// The blocks of a segment: the interleaved bits of 64 rows, then their offsets, then their slopes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "vector/code_table.h"
#include "vector/kernels.h"

namespace loci {

constexpr std::size_t block_bytes(std::size_t dimension) {
  return kBlockRows * (bit_bytes(dimension) + 2 * sizeof(float));
}

// Whole blocks, one after the other, aligned for floats.
class BlockView {
 public:
  BlockView(std::span<const std::uint8_t> bytes, std::size_t dimension)
      : bytes_(bytes), bits_bytes_(kBlockRows * bit_bytes(dimension)), block_bytes_(block_bytes(dimension)) {}

  std::size_t count() const { return bytes_.size() / block_bytes_; }
  BitBlock operator[](std::size_t block) const {
    const std::uint8_t* const begin = bytes_.data() + block * block_bytes_;
    const auto* const factors = reinterpret_cast<const float*>(begin + bits_bytes_);
    return {.bits = begin, .offsets = factors, .slopes = factors + kBlockRows};
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t bits_bytes_;
  std::size_t block_bytes_;
};

// Writes the block of up to kBlockRows rows. The places of rows that are not there are never near.
inline void make_block(const std::int8_t* codes, std::span<const RowFactors> factors, std::size_t dimension,
                       std::uint8_t* block) {
  pack_bits(codes, factors.size(), dimension, block);
  constexpr float kNeverNear = 3e38F;
  std::vector<float> numbers(2 * kBlockRows);
  for (std::size_t row = 0; row < kBlockRows; ++row) {
    numbers[row] = row < factors.size() ? factors[row].offset : kNeverNear;
    numbers[kBlockRows + row] = row < factors.size() ? factors[row].slope : 0;
  }
  std::memcpy(block + kBlockRows * bit_bytes(dimension), numbers.data(), numbers.size() * sizeof(float));
}

}  // namespace loci
