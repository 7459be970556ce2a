#include "text/decode.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "base/utf8.h"

namespace loci {
namespace {

constexpr std::size_t kLookedAt = 4096;        // bytes that tell UTF-16 and binary files apart
constexpr std::size_t kBytesForAControl = 32;  // a text has at most one control character among so many bytes

enum class ByteOrder { little, big };

// Windows-1252 from 0x80 to 0x9F; the five bytes it leaves open are the control characters of Latin-1.
constexpr std::array<char32_t, 32> kWindows1252 = {0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                                   0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,   0x017D, 0x8F,
                                                   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                                   0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};

void append_single_byte(std::string& text, char byte) {
  const auto value = static_cast<unsigned char>(byte);
  append_utf8(text, value >= 0x80 && value < 0xA0 ? kWindows1252[value - 0x80U] : char32_t{value});
}

bool is_surrogate(char32_t unit, char32_t first) { return (unit & 0xFC00U) == first; }

std::string decode_utf16(std::string_view bytes, ByteOrder order) {
  const auto unit_at = [&](std::size_t at) {
    const auto first = static_cast<unsigned char>(bytes[at]);
    const auto second = static_cast<unsigned char>(bytes[at + 1]);
    return order == ByteOrder::little ? char32_t{first} | char32_t{second} << 8
                                      : char32_t{first} << 8 | char32_t{second};
  };
  std::string text;
  text.reserve(bytes.size() / 2 + bytes.size() / 8);
  std::size_t at = 0;
  while (at + 2 <= bytes.size()) {
    char32_t value = unit_at(at);
    at += 2;
    if (is_surrogate(value, 0xD800) && at + 2 <= bytes.size() && is_surrogate(unit_at(at), 0xDC00)) {
      value = 0x10000 + ((value & 0x3FFU) << 10) + (unit_at(at) & 0x3FFU);
      at += 2;
    }
    append_utf8(text, value);  // a surrogate that is left alone becomes U+FFFD
  }
  if (at < bytes.size()) append_utf8(text, kReplacementCharacter);
  return text;
}

// Zero bytes at every second place, and only there, are ASCII in UTF-16.
std::optional<ByteOrder> utf16_without_mark(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, kLookedAt);
  if (head.size() < 4) return std::nullopt;
  std::array<std::size_t, 2> zeros{};
  for (std::size_t at = 0; at < head.size(); ++at) zeros[at % 2] += head[at] == '\0' ? 1 : 0;
  const std::size_t most = head.size() / 2 * 6 / 10;
  if (zeros[0] == 0 && zeros[1] > most) return ByteOrder::little;
  if (zeros[1] == 0 && zeros[0] > most) return ByteOrder::big;
  return std::nullopt;
}

// Terminal logs have escape, backspace and bell.
std::size_t count_controls(std::string_view text) {
  const auto is_control = [](char character) {
    const auto value = static_cast<unsigned char>(character);
    return (value < 0x20 && (value < 0x07 || value > 0x0D) && value != 0x1B) || value == 0x7F;
  };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_control));
}

// Files of single bytes hold few control characters.
bool has_binary_controls(std::string_view text) {
  const std::string_view head = text.substr(0, kLookedAt);
  return count_controls(head) > 2 + head.size() / kBytesForAControl;
}

// A text with something else in its middle or behind it, such as a script that unpacks itself, is binary as a whole.
bool has_binary_block(std::string_view text) {
  while (!text.empty()) {
    const std::string_view block = text.substr(0, text.size() < 2 * kLookedAt ? text.size() : kLookedAt);
    if (count_controls(block) > block.size() / kBytesForAControl) return true;
    text.remove_prefix(block.size());
  }
  return false;
}

std::size_t replace_nuls(std::string& text) {
  const auto count = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\0'));
  if (count == 0) return 0;
  std::string replaced;
  replaced.reserve(text.size() + 2 * count);
  for (const char byte : text) {
    if (byte == '\0') {
      append_utf8(replaced, kReplacementCharacter);
    } else {
      replaced += byte;
    }
  }
  text = std::move(replaced);
  return count;
}

std::string decode_single_bytes(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 8);
  for (const char byte : bytes) append_single_byte(text, byte);
  return text;
}

// UTF-8 in which some bytes are not, or nothing when those are the greater part of what is beyond ASCII.
std::optional<std::string> decode_mixed(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 8);
  std::size_t good = 0;
  std::size_t bad = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const CodePoint code_point = decode_utf8(bytes, at);
    if (code_point.length == 1 && code_point.value == kReplacementCharacter) {
      ++bad;
      append_single_byte(text, bytes[at]);
    } else {
      good += code_point.length > 1 ? 1 : 0;
      text.append(bytes, at, code_point.length);
    }
    at += code_point.length;
  }
  if (bad > good) return std::nullopt;
  return text;
}

bool has_nul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

std::optional<Decoded> unless_binary(std::string text, std::string_view encoding) {
  if (has_binary_controls(text) || (has_nul(text) && has_binary_block(text))) return std::nullopt;
  const std::size_t nuls = replace_nuls(text);
  return Decoded{std::move(text), encoding, nuls};
}

}  // namespace

std::optional<Decoded> decode_text(std::string bytes) {
  const std::string_view view = bytes;
  if (view.starts_with("\xFF\xFE")) return unless_binary(decode_utf16(view.substr(2), ByteOrder::little), "utf-16le");
  if (view.starts_with("\xFE\xFF")) return unless_binary(decode_utf16(view.substr(2), ByteOrder::big), "utf-16be");
  if (const std::optional<ByteOrder> order = utf16_without_mark(view)) {
    return unless_binary(decode_utf16(view, *order), *order == ByteOrder::little ? "utf-16le" : "utf-16be");
  }
  std::string_view encoding = "utf-8";
  if (view.starts_with("\xEF\xBB\xBF")) {
    bytes.erase(0, 3);
    encoding = "utf-8-bom";
  }
  if (is_valid_utf8(bytes)) return unless_binary(std::move(bytes), encoding);
  if (has_nul(bytes)) return std::nullopt;
  if (std::optional<std::string> mixed = decode_mixed(bytes)) return unless_binary(std::move(*mixed), "latin-1");
  return unless_binary(decode_single_bytes(bytes), "latin-1");
}

}  // namespace loci
