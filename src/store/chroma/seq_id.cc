#include "store/chroma/seq_id.h"

#include <algorithm>

namespace loci::chroma {

std::optional<std::int64_t> decode_seq_id(std::span<const std::uint8_t> blob) {
  constexpr std::size_t kWideBytes = 24;
  if (blob.size() == kWideBytes) {
    const auto head = blob.first(kWideBytes - 8);
    if (std::any_of(head.begin(), head.end(), [](std::uint8_t byte) { return byte != 0; })) return {};
    blob = blob.last(8);
  }
  if (blob.size() != 8) return {};
  std::uint64_t value = 0;
  for (const std::uint8_t byte : blob) value = value << 8 | byte;
  if (value > static_cast<std::uint64_t>(INT64_MAX)) return {};
  return static_cast<std::int64_t>(value);
}

std::array<std::uint8_t, 8> encode_seq_id(std::int64_t seq) {
  std::array<std::uint8_t, 8> blob{};
  auto rest = static_cast<std::uint64_t>(seq);
  for (std::size_t i = blob.size(); i-- > 0; rest >>= 8) blob[i] = static_cast<std::uint8_t>(rest);
  return blob;
}

std::optional<std::int64_t> unpoisoned(std::int64_t seq) {
  if (seq < kLargestSeqId) return {};
  const std::array<std::uint8_t, 8> bytes = encode_seq_id(seq);
  std::size_t begin = 0;
  while (begin < bytes.size() && bytes[begin] == 0x11) ++begin;
  if (begin == bytes.size()) return {};
  std::int64_t value = 0;
  for (std::size_t i = begin; i < bytes.size(); ++i) {
    if (bytes[i] < '0' || bytes[i] > '9') return {};
    value = value * 10 + (bytes[i] - '0');
  }
  return value;
}

}  // namespace loci::chroma
