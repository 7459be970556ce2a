// Numbers in Chroma's files: little end first, at any address.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace loci::chroma {

static_assert(std::endian::native == std::endian::little, "Chroma's files are read as they are");

// Nothing when the number is not wholly inside.
template <typename Number>
std::optional<Number> load(std::span<const std::uint8_t> bytes, std::size_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Number)) return {};
  Number number;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

}  // namespace loci::chroma
