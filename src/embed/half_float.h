// The 16-bit floating-point numbers that weights are stored in.
#pragma once

#include <bit>
#include <cstdint>

namespace loci {

// IEEE 754 binary16. Exact for every value; infinities and NaNs stay what they are.
inline float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
  const std::uint32_t magnitude = half & 0x7FFFU;
  if (magnitude >= 0x7C00U) return std::bit_cast<float>(sign | 0x7F800000U | (magnitude << 13));
  // As a float the bits mean the value times 2^-112, also for subnormal ones.
  const float scaled = std::bit_cast<float>(magnitude << 13) * std::bit_cast<float>(0x77800000U);
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(scaled));
}

// The upper half of a float.
inline float bfloat16_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace loci
