#include "base/utf8.h"

#include <cstdint>
#include <cstring>

namespace loci {
namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080U;

bool is_continuation(unsigned char byte) { return (byte & 0xC0U) == 0x80U; }

// Length of the well-formed sequence at `bytes`, or 0. The bounds of the second byte are those of table 3-7 of the
// Unicode standard; they are what excludes overlong forms, surrogates and values above U+10FFFF.
std::size_t sequence_length(const unsigned char* bytes, std::size_t available) {
  const unsigned char lead = bytes[0];
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  if (lead < 0xE0) return available >= 2 && is_continuation(bytes[1]) ? 2 : 0;
  if (lead < 0xF0) {
    if (available < 3) return 0;
    const unsigned char low = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned char high = lead == 0xED ? 0x9F : 0xBF;
    return bytes[1] >= low && bytes[1] <= high && is_continuation(bytes[2]) ? 3 : 0;
  }
  if (available < 4) return 0;
  const unsigned char low = lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xF4 ? 0x8F : 0xBF;
  return bytes[1] >= low && bytes[1] <= high && is_continuation(bytes[2]) && is_continuation(bytes[3]) ? 4 : 0;
}

}  // namespace

bool is_valid_utf8(std::string_view text) {
  const auto* at = reinterpret_cast<const unsigned char*>(text.data());
  const auto* const end = at + text.size();
  while (at < end) {
    // Most text is ASCII: sixteen bytes at a time as long as no byte has its high bit set.
    while (end - at >= 16) {
      std::uint64_t first;
      std::uint64_t second;
      std::memcpy(&first, at, sizeof first);
      std::memcpy(&second, at + 8, sizeof second);
      if (((first | second) & kHighBits) != 0) break;
      at += 16;
    }
    if (at == end) break;
    // One character at a time until the next ASCII byte after a non-ASCII run, or a few ASCII bytes at the end.
    do {
      const std::size_t length = sequence_length(at, static_cast<std::size_t>(end - at));
      if (length == 0) return false;
      at += length;
    } while (at < end && (*at >= 0x80 || end - at < 16));
  }
  return true;
}

CodePoint decode_utf8(std::string_view text, std::size_t at) {
  if (at >= text.size()) return {0, 0};
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data()) + at;
  const std::size_t length = sequence_length(bytes, text.size() - at);
  const auto bits = [bytes](std::size_t index) { return static_cast<char32_t>(bytes[index] & 0x3FU); };
  switch (length) {
    case 1: return {bytes[0], 1};
    case 2: return {(static_cast<char32_t>(bytes[0] & 0x1FU) << 6) | bits(1), 2};
    case 3: return {(static_cast<char32_t>(bytes[0] & 0x0FU) << 12) | (bits(1) << 6) | bits(2), 3};
    case 4: return {(static_cast<char32_t>(bytes[0] & 0x07U) << 18) | (bits(1) << 12) | (bits(2) << 6) | bits(3), 4};
    default: return {kReplacementCharacter, 1};
  }
}

void append_utf8(std::string& out, char32_t code_point) {
  if (code_point > 0x10FFFF || (code_point >= 0xD800 && code_point <= 0xDFFF)) code_point = kReplacementCharacter;
  const auto byte = [&out](char32_t value) { out.push_back(static_cast<char>(static_cast<unsigned char>(value))); };
  if (code_point < 0x80) {
    byte(code_point);
  } else if (code_point < 0x800) {
    byte(0xC0 | (code_point >> 6));
    byte(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    byte(0xE0 | (code_point >> 12));
    byte(0x80 | ((code_point >> 6) & 0x3F));
    byte(0x80 | (code_point & 0x3F));
  } else {
    byte(0xF0 | (code_point >> 18));
    byte(0x80 | ((code_point >> 12) & 0x3F));
    byte(0x80 | ((code_point >> 6) & 0x3F));
    byte(0x80 | (code_point & 0x3F));
  }
}

std::size_t floor_char_boundary(std::string_view text, std::size_t at) {
  if (at >= text.size()) return text.size();
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  for (std::size_t back = 1; back <= 3 && back <= at; ++back) {
    if (!is_continuation(bytes[at - back + 1])) break;
    const std::size_t lead = at - back;
    const std::size_t length = sequence_length(bytes + lead, text.size() - lead);
    if (length > back) return lead;
  }
  return at;
}

std::string to_valid_utf8(std::string_view text) {
  if (is_valid_utf8(text)) return std::string(text);
  std::string valid;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint code_point = decode_utf8(text, at);
    append_utf8(valid, code_point.value);
    at += code_point.length;
  }
  return valid;
}

}  // namespace loci
