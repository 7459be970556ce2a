#include "text/fold.h"

#include <algorithm>
#include <cstddef>

#include <utf8proc.h>

#include "base/utf8.h"
#include "text/char_class.h"

namespace loci {
namespace {

static_assert(sizeof(utf8proc_int32_t) == sizeof(std::int32_t));

// Marks that a reader may leave out. They are told by their own block and not by the letter before them: the marks of
// scripts that cannot do without have blocks of their own.
bool is_dropped_mark(std::int32_t code_point) {
  const auto is_in = [code_point](std::int32_t first, std::int32_t last) {
    return code_point >= first && code_point <= last;
  };
  if (code_point < 0x300) return false;
  return is_in(0x0300, 0x036F) || is_in(0x0483, 0x0489) ||  // general, Cyrillic
         is_in(0x0591, 0x05BD) || code_point == 0x05BF || is_in(0x05C1, 0x05C2) || is_in(0x05C4, 0x05C5) ||
         code_point == 0x05C7 ||                           // Hebrew points
         is_in(0x0610, 0x061A) || code_point == 0x0640 ||  // Arabic signs, the letter stretcher
         is_in(0x064B, 0x065F) || code_point == 0x0670 ||  // Arabic vowel signs
         is_in(0x06D6, 0x06DC) || is_in(0x06DF, 0x06E4) || is_in(0x06E7, 0x06E8) || is_in(0x06EA, 0x06ED) ||
         is_in(0x1AB0, 0x1AFF) || is_in(0x1DC0, 0x1DFF) || is_in(0x20D0, 0x20FF) || is_in(0x2DE0, 0x2DFF) ||
         is_in(0xFE00, 0xFE0F) || is_in(0xFE20, 0xFE2F);
}

// Letters that are an ASCII letter with a stroke, or two of them, but that Unicode does not take apart.
std::string_view ascii_look_alike(std::int32_t code_point) {
  switch (code_point) {
    case 0x00E6: return "ae";
    case 0x00F0: return "d";
    case 0x00F8: return "o";
    case 0x00FE: return "th";
    case 0x0111: return "d";
    case 0x0127: return "h";
    case 0x0131: return "i";
    case 0x0142: return "l";
    case 0x0153: return "oe";
    case 0x0167: return "t";
    default: return {};
  }
}

}  // namespace

void Folder::append_folded(std::string_view word, std::string& out) {
  if (word.size() > kMaxWordBytes) word = word.substr(0, floor_char_boundary(word, kMaxWordBytes));
  const std::size_t begin = out.size();
  out.append(word);
  for (std::size_t at = begin; at < out.size(); ++at) {
    const auto byte = static_cast<unsigned char>(out[at]);
    if (byte >= 0x80) {
      out.resize(begin);
      append_decomposed(word, out);
      return;
    }
    if (kAsciiClasses[byte] == CharClass::upper) out[at] = static_cast<char>(byte | 0x20U);
  }
}

void Folder::append_decomposed(std::string_view word, std::string& out) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(word.data());
  const auto length = static_cast<utf8proc_ssize_t>(word.size());
  constexpr auto kOptions =
      static_cast<utf8proc_option_t>(UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
  if (code_points_.size() < word.size()) code_points_.resize(2 * kMaxWordBytes);
  utf8proc_ssize_t count = 0;
  for (;;) {
    count = utf8proc_decompose(bytes, length, code_points_.data(), static_cast<utf8proc_ssize_t>(code_points_.size()),
                               kOptions);
    if (count < 0) return;  // not UTF-8, which the caller ruled out
    if (static_cast<std::size_t>(count) <= code_points_.size()) break;
    code_points_.resize(static_cast<std::size_t>(count));
  }

  const auto begin = code_points_.begin();
  const auto kept_end = std::remove_if(begin, begin + count, is_dropped_mark);
  auto kept = static_cast<utf8proc_ssize_t>(kept_end - begin);
  // Syllables of Hangul, kana with their sound marks and some Indic letters were taken apart above; Latin, Greek and
  // Cyrillic have nothing left to put together.
  if (std::any_of(begin, kept_end, [](std::int32_t code_point) { return code_point >= 0x900; })) {
    kept = utf8proc_normalize_utf32(code_points_.data(), kept,
                                    static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE));
  }

  bool has_gap = false;
  const std::size_t out_begin = out.size();
  for (utf8proc_ssize_t index = 0; index < kept; ++index) {
    const std::int32_t code_point = code_points_[static_cast<std::size_t>(index)];
    // Some characters stand for a phrase or a number in brackets; a word has neither spaces nor brackets.
    if (classify(static_cast<char32_t>(code_point)) == CharClass::separator) {
      has_gap = true;
      continue;
    }
    if (has_gap && out.size() > out_begin) out.push_back('_');
    has_gap = false;
    if (const std::string_view look_alike = ascii_look_alike(code_point); !look_alike.empty()) {
      out.append(look_alike);
    } else {
      append_utf8(out, static_cast<char32_t>(code_point));
    }
  }
}

}  // namespace loci
