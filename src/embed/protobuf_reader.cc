#include "embed/protobuf_reader.h"

namespace loci {

std::optional<std::uint64_t> ProtobufReader::next_integer() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) break;
    const std::uint8_t byte = rest_.front();
    rest_ = rest_.subspan(1);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) return value;
  }
  is_sound_ = false;
  return std::nullopt;
}

bool ProtobufReader::take(std::size_t size, std::span<const std::uint8_t>& out) {
  if (size > rest_.size()) {
    is_sound_ = false;
    return false;
  }
  out = rest_.first(size);
  rest_ = rest_.subspan(size);
  return true;
}

std::optional<ProtobufField> ProtobufReader::next() {
  if (rest_.empty() || !is_sound_) return std::nullopt;
  const std::optional<std::uint64_t> key = next_integer();
  if (!key) return std::nullopt;
  ProtobufField field;
  field.number = *key >> 3;
  bool is_read = false;
  switch (*key & 7U) {
    case 0:
      if (const std::optional<std::uint64_t> value = next_integer()) {
        field.integer = *value;
        field.is_integer = is_read = true;
      }
      break;
    case 1: is_read = take(8, field.bytes); break;
    case 2:
      if (const std::optional<std::uint64_t> size = next_integer()) is_read = take(*size, field.bytes);
      break;
    case 5: is_read = take(4, field.bytes); break;
    default: break;  // groups, which nobody writes any more
  }
  if (is_read) return field;
  is_sound_ = false;
  return std::nullopt;
}

}  // namespace loci
