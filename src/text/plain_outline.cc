// Plain text, and the lighter markups whose headings a glance finds: reStructuredText, AsciiDoc, Org, LaTeX.
#include <algorithm>

#include "text/lines.h"
#include "text/outline.h"

namespace loci {
namespace {

constexpr std::size_t kHeadings = 4;

std::string_view without_end(std::string_view line) {
  while (!line.empty() && is_blank_character(line.back())) line.remove_suffix(1);
  return line;
}

// A row of at least three of one sign, as long as the title above it or nearly.
bool is_underline(std::string_view line, std::size_t title_size) {
  constexpr std::string_view kSigns = "=-~^\"'`#*+.:_";
  return line.size() >= 3 && line.size() + 2 >= title_size && kSigns.find(line.front()) != std::string_view::npos &&
         line.find_first_not_of(line.front()) == std::string_view::npos;
}

std::size_t underline_rank(char sign) {
  switch (sign) {
    case '#':
    case '*':
    case '=': return 0;
    case '-': return 1;
    case '~':
    case '^': return 2;
    default: return 3;
  }
}

// Titles are underlined, as in reStructuredText and in many a README.
Outline outline_underlined(std::string_view text) {
  Outline outline({.eager_ranks = kHeadings, .filling = Filling::prose});
  LineReader lines(text);
  std::size_t title_start = 0;
  std::size_t title_size = 0;
  bool title_stands_alone = false;  // after a blank line
  while (lines.next()) {
    const std::string_view line = without_end(lines.line());
    if (title_stands_alone && title_size > 0 && is_underline(line, title_size)) {
      outline.add(title_start, underline_rank(line.front()));
      title_size = 0;
    } else {
      title_stands_alone = title_size == 0;
      title_size = line.size();
      title_start = lines.start();
    }
  }
  return outline;
}

// The rank of a heading that its line shows by itself, or kHeadings.
std::size_t heading_rank(std::string_view line, std::string_view language) {
  if (language == "latex") {
    constexpr std::string_view kCommands[] = {"\\chapter", "\\section", "\\subsection", "\\subsubsection"};
    for (std::size_t rank = 0; rank < kHeadings; ++rank) {
      if (line.starts_with(kCommands[rank])) return rank;
    }
    return kHeadings;
  }
  const char sign = language == "org" ? '*' : '=';
  const std::size_t level = std::min(line.find_first_not_of(sign), line.size());
  if (level == 0 || level >= line.size() || line[level] != ' ') return kHeadings;
  return std::min(level, kHeadings) - 1;
}

Outline outline_marked(std::string_view text, std::string_view language) {
  Outline outline({.eager_ranks = kHeadings, .filling = Filling::prose});
  LineReader lines(text);
  while (lines.next()) {
    const std::size_t rank = heading_rank(lines.line(), language);
    if (rank < kHeadings) outline.add(lines.start(), rank);
  }
  return outline;
}

}  // namespace

Outline outline_plain(std::string_view text, std::string_view language) {
  if (language == "log") return Outline({.filling = Filling::lines});
  if (language == "latex" || language == "org" || language == "asciidoc") return outline_marked(text, language);
  return outline_underlined(text);
}

}  // namespace loci
