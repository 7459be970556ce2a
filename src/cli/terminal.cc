#include "cli/terminal.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.h"

namespace loci {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// The blocks whose characters a terminal shows two columns wide; enough for aligning, not a Unicode database.
constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x2614, 0x2615},   {0x2648, 0x2653},
    {0x26A1, 0x26A1},   {0x26BD, 0x26BE},   {0x2705, 0x2705},   {0x270A, 0x270B},   {0x2728, 0x2728},
    {0x274C, 0x274C},   {0x2753, 0x2755},   {0x2795, 0x2797},   {0x2E80, 0x303E},   {0x3041, 0x33FF},
    {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F1E6, 0x1F1FF},
    {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F7E0, 0x1F7EB}, {0x1F900, 0x1F9FF}, {0x1FA70, 0x1FAFF},
    {0x20000, 0x2FFFD}, {0x30000, 0x3FFFD},
};
// Shown on top of the character before, or not at all.
constexpr Range kNarrow[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD},   {0x0610, 0x061A}, {0x064B, 0x065F}, {0x0900, 0x0902},
    {0x093C, 0x093C}, {0x0941, 0x0948}, {0x0E31, 0x0E31},   {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF},
    {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x202A, 0x202E},   {0x2060, 0x2064}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F},
    {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0xE0100, 0xE01EF},
};

bool is_in(std::span<const Range> ranges, char32_t c) {
  const auto range = std::lower_bound(ranges.begin(), ranges.end(), c,
                                      [](const Range& candidate, char32_t value) { return candidate.last < value; });
  return range != ranges.end() && range->first <= c;
}

std::size_t width_of(char32_t c) {
  if (c < 0x20 || (c >= 0x7F && c < 0xA0)) return 0;
  if (c < 0x300) return 1;
  if (is_in(kNarrow, c)) return 0;
  return is_in(kWide, c) ? 2 : 1;
}

// Could change the terminal's state or the order in which text is read.
bool is_dangerous(char32_t c) {
  return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c < 0xA0) || c == 0x061C || c == 0x200E || c == 0x200F ||
         (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

std::string make_visible(std::string_view text) {
  std::string visible;
  visible.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint next = decode_utf8(text, at);
    const bool is_malformed = next.value == kReplacementCharacter && next.length == 1;
    if (is_malformed || (is_dangerous(next.value) && next.value < 0x100)) {
      visible += fmt::format("\\x{:02x}",
                             is_malformed ? static_cast<unsigned char>(text[at]) : static_cast<unsigned>(next.value));
    } else if (is_dangerous(next.value)) {
      visible += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(next.value));
    } else {
      visible += text.substr(at, next.length);
    }
    at += next.length;
  }
  return visible;
}

std::string_view code_of(Style style) {
  switch (style) {
    case Style::plain: return "";
    case Style::bold: return "\x1b[1m";
    case Style::dim: return "\x1b[2m";
    case Style::match: return "\x1b[1;4m";
    case Style::good: return "\x1b[32m";
    case Style::warning: return "\x1b[33m";
    case Style::bad: return "\x1b[31m";
  }
  return "";
}

// The end of the line that begins at `begin`: before a line end, or at the last space that keeps it within the width.
struct LineBreak {
  std::size_t end;   // of what is shown
  std::size_t next;  // where the next line begins
};
LineBreak break_line(std::string_view text, std::size_t begin, std::size_t width) {
  std::size_t columns = 0;
  std::size_t space = std::string_view::npos;
  for (std::size_t at = begin; at < text.size();) {
    const CodePoint next = decode_utf8(text, at);
    if (next.value == '\n') return {at, at + 1};
    if (next.value == ' ') space = at;
    columns += next.value == '\t' ? 1 : width_of(next.value);
    if (columns > width && at > begin) {
      if (space == at) return {at, at + 1};
      if (space != std::string_view::npos && space > begin) return {space, space + 1};
      return {at, at};  // a word that is longer than the line
    }
    at += next.length;
  }
  return {text.size(), text.size()};
}

// The part of the text from begin to end, with what of the matches lies in it styled.
std::string style_matches(const Terminal& terminal, std::string_view text, std::size_t begin, std::size_t end,
                          const std::vector<Highlight>& matches) {
  std::string line;
  std::size_t at = begin;
  for (const Highlight& match : matches) {
    const std::size_t from = std::clamp(match.start, at, end);
    const std::size_t to = std::clamp(match.end, from, end);
    if (from == to) continue;
    line += safe_text(terminal, text.substr(at, from - at));
    line += styled(terminal, Style::match, safe_text(terminal, text.substr(from, to - from)));
    at = to;
  }
  return line + safe_text(terminal, text.substr(at, end - at));
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint next = decode_utf8(text, at);
    width += width_of(next.value);
    at += next.length;
  }
  return width;
}

std::string cut_to_width(std::string_view text, std::size_t width) {
  std::size_t columns = 0;
  std::size_t fits = 0;  // bytes that leave room for the mark
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint next = decode_utf8(text, at);
    columns += width_of(next.value);
    if (columns > width) return width == 0 ? "" : std::string(text.substr(0, fits)) + "…";
    at += next.length;
    if (columns < width) fits = at;
  }
  return std::string(text);
}

std::string pad_to_width(std::string_view text, std::size_t width) {
  const std::size_t columns = display_width(text);
  return std::string(text) + std::string(columns < width ? width - columns : 0, ' ');
}

std::string safe_text(const Terminal& terminal, std::string_view text) {
  return terminal.is_terminal ? make_visible(text) : std::string(text);
}

std::string one_line(std::string_view text) {
  std::string line = make_visible(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::replace(line.begin(), line.end(), '\t', ' ');
  return line;
}

std::string styled(const Terminal& terminal, Style style, std::string_view text) {
  if (!terminal.has_colour || style == Style::plain || text.empty()) return std::string(text);
  return std::string(code_of(style)) + std::string(text) + "\x1b[0m";
}

std::string wrap_with_matches(const Terminal& terminal, std::string_view text, const std::vector<Highlight>& matches,
                              std::size_t indent) {
  constexpr std::size_t kLeastWidth = 20;
  const std::size_t width = std::max(kLeastWidth, terminal.width > indent ? terminal.width - indent : 0);
  std::string wrapped;
  for (std::size_t begin = 0; begin < text.size();) {
    const LineBreak line = break_line(text, begin, width);
    wrapped += std::string(indent, ' ') + style_matches(terminal, text, begin, line.end, matches) + "\n";
    begin = line.next;
  }
  return wrapped;
}

std::string wrap(const Terminal& terminal, std::string_view text, std::size_t indent) {
  return wrap_with_matches(terminal, text, {}, indent);
}

std::string with_separators(std::size_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string human_size(std::size_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"bytes", "kB", "MB", "GB", "TB"};
  if (bytes < 1000) return fmt::format("{} {}", bytes, bytes == 1 ? "byte" : "bytes");
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (size >= 999.5 && unit + 1 < kUnits.size()) {
    size /= 1000;
    ++unit;
  }
  return size < 9.95 ? fmt::format("{:.1f} {}", size, kUnits[unit]) : fmt::format("{:.0f} {}", size, kUnits[unit]);
}

std::string counted(std::size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", with_separators(number), noun, number == 1 ? "" : "s");
}

}  // namespace loci
