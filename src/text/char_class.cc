#include "text/char_class.h"

#include <algorithm>
#include <span>

#include <utf8proc.h>

namespace loci {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

bool contains(std::span<const Range> ranges, char32_t code_point) {
  const auto found = std::lower_bound(ranges.begin(), ranges.end(), code_point,
                                      [](const Range& range, char32_t value) { return range.last < value; });
  return found != ranges.end() && found->first <= code_point;
}

// Scripts without spaces between words. Korean has spaces, but glues endings to words as Japanese does, and pairs of
// syllables find the word without them.
constexpr Range kUnspaced[] = {
    {0x0E00, 0x0EFF},    // Thai, Lao
    {0x1000, 0x109F},    // Burmese
    {0x1100, 0x11FF},    // Hangul jamo
    {0x1780, 0x17FF},    // Khmer
    {0x1950, 0x19DF},    // Tai Le, New Tai Lue
    {0x1A20, 0x1AAF},    // Tai Tham
    {0x2E80, 0x2FDF},    // Han radicals
    {0x3005, 0x3007},    // iteration mark, closing mark, zero
    {0x3021, 0x3029},    // Hangzhou numerals
    {0x3031, 0x3035},    // kana repeat marks
    {0x3038, 0x303C},    //
    {0x3041, 0x30FF},    // Hiragana, Katakana
    {0x3105, 0x31BF},    // Bopomofo, Hangul compatibility jamo
    {0x31F0, 0x31FF},    // Katakana extensions
    {0x3400, 0x4DBF},    // Han
    {0x4E00, 0x9FFF},    // Han
    {0xA000, 0xA48C},    // Yi
    {0xA960, 0xA97F},    // Hangul jamo
    {0xA9E0, 0xA9FF},    // Burmese
    {0xAA60, 0xAADF},    // Burmese, Tai Viet
    {0xAC00, 0xD7FF},    // Hangul
    {0xF900, 0xFAFF},    // Han compatibility
    {0xFF66, 0xFFDC},    // half-width Katakana and Hangul
    {0x16FE0, 0x1B2FF},  // Tangut, kana supplements
    {0x20000, 0x3FFFF},  // Han
};

constexpr Range kEmoji[] = {
    {0x231A, 0x231B},   {0x23E9, 0x23F3},   {0x23F8, 0x23FA},   {0x25FD, 0x25FE},   {0x2600, 0x27BF},
    {0x2B05, 0x2B07},   {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},   {0x1F004, 0x1F004},
    {0x1F0CF, 0x1F0CF}, {0x1F170, 0x1F19A}, {0x1F300, 0x1F3FA}, {0x1F400, 0x1FAFF},
};

constexpr Range kSkinTone = {0x1F3FB, 0x1F3FF};
constexpr Range kFlag = {0x1F1E6, 0x1F1FF};

bool is_in(Range range, char32_t code_point) { return code_point >= range.first && code_point <= range.last; }

CharClass classify_letter(char32_t code_point, CharClass otherwise) {
  return contains(kUnspaced, code_point) ? CharClass::unspaced : otherwise;
}

}  // namespace

CharClass classify_beyond_ascii(char32_t code_point) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code_point))) {
    case UTF8PROC_CATEGORY_LL: return CharClass::lower;
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LT: return CharClass::upper;
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO: return classify_letter(code_point, CharClass::caseless);
    case UTF8PROC_CATEGORY_NL: return classify_letter(code_point, CharClass::digit);
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NO: return CharClass::digit;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME: return CharClass::mark;
    case UTF8PROC_CATEGORY_CF:
      // The zero-width space is what separates words in Thai and Khmer, unlike the joiners.
      return code_point == 0x200B ? CharClass::separator : CharClass::ignorable;
    case UTF8PROC_CATEGORY_SK: return is_in(kSkinTone, code_point) ? CharClass::ignorable : CharClass::separator;
    case UTF8PROC_CATEGORY_SO:
      if (is_in(kFlag, code_point)) return CharClass::flag;
      return contains(kEmoji, code_point) ? CharClass::emoji : CharClass::separator;
    default: return CharClass::separator;
  }
}

bool extends_character(char32_t previous, char32_t next) {
  if (next < 0x300 && next != 0xAD) return false;
  if (next == 0xFF9E || next == 0xFF9F) return true;  // half-width voiced sound marks
  const CharClass next_class = classify(next);
  if (next_class == CharClass::mark || next_class == CharClass::ignorable) return true;
  // Hangul in decomposed form: a vowel after a consonant, a final consonant after those.
  const bool is_vowel_or_final = (next >= 0x1160 && next <= 0x11FF) || (next >= 0xD7B0 && next <= 0xD7FB);
  const bool follows_hangul = (previous >= 0x1100 && previous <= 0x11FF) ||
                              (previous >= 0xA960 && previous <= 0xA97F) || (previous >= 0xAC00 && previous <= 0xD7FB);
  return is_vowel_or_final && follows_hangul;
}

bool is_space(char32_t code_point) {
  if (code_point <= 0x20 || code_point == 0x7F) return true;
  if (code_point < 0x80) return false;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code_point))) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP: return true;
    default: return false;
  }
}

}  // namespace loci
