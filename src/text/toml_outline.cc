// TOML and ini files: tables, then tables in tables, then keys. Comments go with what is below them.
#include <algorithm>

#include "text/held_comment.h"
#include "text/lines.h"
#include "text/outline.h"

namespace loci {
namespace {

constexpr std::size_t kDeepestTable = 3;
constexpr std::size_t kKeyAfterBlank = 4;
constexpr std::size_t kKey = 5;
constexpr std::size_t kInside = 6;  // of an array or a string over several lines

bool is_comment(std::string_view content) { return content.front() == '#' || content.front() == ';'; }

bool is_table(std::string_view content) {
  return content.front() == '[' && content.find(']') != std::string_view::npos;
}

// Whether a string of three quotes is open after the line, given whether it was before.
bool string_goes_on(std::string_view line, bool is_open) {
  for (const std::string_view quotes : {"\"\"\"", "'''"}) {
    for (std::size_t at = line.find(quotes); at != std::string_view::npos; at = line.find(quotes, at + 3)) {
      is_open = !is_open;
    }
  }
  return is_open;
}

// Brackets that a line leaves open; those in strings and comments are few enough to ignore, since a table resets the
// count.
std::ptrdiff_t brackets_left_open(std::string_view line) {
  const std::string_view code = line.substr(0, line.find(" #"));
  return std::count(code.begin(), code.end(), '[') - std::count(code.begin(), code.end(), ']');
}

}  // namespace

Outline outline_toml(std::string_view text) {
  Outline outline({.eager_ranks = 2});
  HeldComment comment;
  std::ptrdiff_t open_brackets = 0;
  bool in_string = false;
  bool after_blank = false;
  LineReader lines(text);
  while (lines.next()) {
    const std::string_view line = lines.line();
    const std::size_t first = line.find_first_not_of(" \t\r\n");
    const bool is_inside = in_string;
    in_string = string_goes_on(line, in_string);
    if (is_inside) continue;
    if (first == std::string_view::npos) {
      comment.release(outline, kKeyAfterBlank);
      after_blank = true;
      continue;
    }
    const std::string_view content = line.substr(first);
    if (is_comment(content)) {
      comment.hold(lines.start());
      continue;
    }
    const std::size_t start = comment.take_or(lines.start());
    if (is_table(content) && (open_brackets <= 0 || first == 0)) {
      const auto dots = static_cast<std::size_t>(std::count(content.begin(), content.end(), '.'));
      outline.add(start, std::min(dots, kDeepestTable));
      open_brackets = 0;
    } else {
      outline.add(start, open_brackets > 0 ? kInside : after_blank ? kKeyAfterBlank : kKey);
      open_brackets = std::max<std::ptrdiff_t>(0, open_brackets + brackets_left_open(content));
    }
    after_blank = false;
  }
  comment.release(outline, kKeyAfterBlank);
  return outline;
}

}  // namespace loci
