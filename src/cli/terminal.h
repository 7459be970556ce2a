// Text for a terminal: widths, wrapping, styles, and keeping stored text from driving the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/snippet.h"

namespace loci {

enum class Style { plain, bold, dim, match, good, warning, bad };

// How the output is shown. Constant during a run.
struct Terminal {
  bool is_terminal = false;  // someone is looking; otherwise text goes to a file or a program, and stays as it is
  bool has_colour = false;
  bool can_redraw = false;  // a line may be drawn over
  std::size_t width = 80;   // columns
};

// The columns that the text takes; wide characters take two, combining ones none.
std::size_t display_width(std::string_view text);

// At most `width` columns of the text; "…" at the end stands for what was cut.
std::string cut_to_width(std::string_view text, std::size_t width);

// The text with spaces at the end, so that it takes `width` columns.
std::string pad_to_width(std::string_view text, std::size_t width);

// On a terminal, control characters, marks that change the direction of text, and bytes that are not UTF-8 become
// visible: \x1b. Line ends and tabs stay. Elsewhere the text is returned as it is.
std::string safe_text(const Terminal& terminal, std::string_view text);

// The same, always, with line ends and tabs as spaces: for a text that has one line to stand in.
std::string one_line(std::string_view text);

std::string styled(const Terminal& terminal, Style style, std::string_view text);

// The text broken at spaces so that each line has at most `width` columns, its ranges styled as matches, each line
// begun with `indent` spaces and ended with a line end.
std::string wrap_with_matches(const Terminal& terminal, std::string_view text, const std::vector<Highlight>& matches,
                              std::size_t indent);

// The same without matches.
std::string wrap(const Terminal& terminal, std::string_view text, std::size_t indent);

// 1234567 → "1,234,567".
std::string with_separators(std::size_t number);

// 1234567 → "1.2 MB".
std::string human_size(std::size_t bytes);

// 1 → "1 drawer", 2 → "2 drawers".
std::string counted(std::size_t number, std::string_view noun);

}  // namespace loci
