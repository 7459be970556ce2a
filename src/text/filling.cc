#include "text/filling.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "text/char_class.h"
#include "text/lines.h"

namespace loci {
namespace {

constexpr bool is_lower(char character) { return character >= 'a' && character <= 'z'; }
constexpr bool is_ascii_letter(char character) {
  return is_lower(character) || (character >= 'A' && character <= 'Z') || static_cast<unsigned char>(character) >= 0x80;
}

// The word that ends before `at`, as far as abbreviations go.
std::string_view word_before(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongest = 5;
  std::size_t start = at;
  while (start > 0 && at - start <= kLongest && is_ascii_letter(text[start - 1])) --start;
  return text.substr(start, at - start);
}

// A full stop after "Dr", "e.g" or an initial ends no sentence.
bool is_abbreviation(std::string_view word) {
  static constexpr std::array<std::string_view, 16> kWords = {"Mr", "Mrs", "Ms", "Dr",  "Prof", "St", "Nr", "No",
                                                              "vs", "etc", "cf", "Fig", "fig",  "Eq", "pp", "Vol"};
  return word.size() == 1 || std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

// The length of the sign at `at` that ends a sentence without a space after it: 。！？ and their half-width forms.
std::size_t full_width_stop(std::string_view text, std::size_t at) {
  for (const std::string_view sign : {"。", "！", "？", "｡"}) {
    if (text.compare(at, sign.size(), sign) == 0) return sign.size();
  }
  return 0;
}

// The position after the brackets, quotes and marks of emphasis that close what a sentence is in.
std::size_t skip_closers(std::string_view text, std::size_t at, std::size_t end) {
  while (at < end) {
    if (std::string_view("\"')]}*_`").find(text[at]) != std::string_view::npos) {
      ++at;
      continue;
    }
    const auto closes = [&](std::string_view sign) { return text.compare(at, sign.size(), sign) == 0; };
    if (closes("”") || closes("’") || closes("」") || closes("』") || closes("）")) {
      at += 3;
    } else if (closes("»")) {
      at += 2;
    } else {
      break;
    }
  }
  return std::min(at, end);
}

std::size_t skip_blanks(std::string_view text, std::size_t at, std::size_t end) {
  while (at < end && is_blank_character(text[at])) ++at;
  return at;
}

// Where the next sentence begins if the one with the sign at `at` ends there, else the end of the range.
std::size_t sentence_after(const TextRange& range, std::size_t at) {
  const std::string_view text = range.text;
  if (const std::size_t sign = full_width_stop(text, at); sign > 0) {
    return skip_blanks(text, skip_closers(text, at + sign, range.end), range.end);
  }
  const std::size_t closed = skip_closers(text, at + 1, range.end);
  const std::size_t next = skip_blanks(text, closed, range.end);
  if (next == closed || next == range.end || is_lower(text[next])) return range.end;
  if (text[at] == '.' && is_abbreviation(word_before(text, at))) return range.end;
  return next;
}

}  // namespace

void fill_paragraphs(const TextRange& range, Positions& positions) {
  LineReader lines(range.text.substr(0, range.end), range.start, range.line_terminator);
  bool after_blank = false;
  while (lines.next()) {
    const bool blank = is_blank(lines.line());
    if (after_blank && !blank && lines.start() > range.start)
      positions.push_back(static_cast<std::uint32_t>(lines.start()));
    after_blank = blank;
  }
}

void fill_sentences(const TextRange& range, Positions& positions) {
  for (std::size_t at = range.start; at < range.end; ++at) {
    const char character = range.text[at];
    const bool may_end =
        character == '.' || character == '!' || character == '?' || character == '\xE3' || character == '\xEF';
    if (!may_end) continue;
    if (static_cast<unsigned char>(character) >= 0x80 && full_width_stop(range.text, at) == 0) continue;
    const std::size_t next = sentence_after(range, at);
    if (next >= range.end) continue;
    positions.push_back(static_cast<std::uint32_t>(next));
    at = next - 1;
  }
}

void fill_lines(const TextRange& range, Positions& positions) {
  LineReader lines(range.text.substr(0, range.end), range.start, range.line_terminator);
  while (lines.next()) {
    if (lines.start() > range.start && !is_blank(lines.line()))
      positions.push_back(static_cast<std::uint32_t>(lines.start()));
  }
}

void fill_words(const TextRange& range, Positions& positions) {
  for (std::size_t at = range.start + 1; at < range.end; ++at) {
    if (is_blank_character(range.text[at - 1]) && !is_blank_character(range.text[at]))
      positions.push_back(static_cast<std::uint32_t>(at));
  }
}

bool is_between_characters(std::string_view text, std::size_t at) {
  if (at == 0 || at >= text.size()) return true;
  if (text[at - 1] == '\r' && text[at] == '\n') return false;
  if (floor_char_boundary(text, at) != at) return false;
  const std::size_t before = floor_char_boundary(text, at - 1);
  return !extends_character(decode_utf8(text, before).value, decode_utf8(text, at).value);
}

}  // namespace loci
