// Tables of comma-separated values: by row. A quoted field may hold line ends.
#include "text/lines.h"
#include "text/outline.h"

namespace loci {
namespace {

constexpr std::size_t kLongestField = 65536;  // a quote that is not closed by then is a sign like any other

bool is_separator(char character) {
  return character == ',' || character == ';' || character == '\t' || character == '|';
}

// The position after the quoted field that begins at `at`, or `at` when it has no end.
std::size_t skip_field(std::string_view text, std::size_t at) {
  const std::string_view within = text.substr(0, at + kLongestField);
  std::size_t close = within.find('"', at + 1);
  while (close != std::string_view::npos && close + 1 < within.size() && within[close + 1] == '"') {
    close = within.find('"', close + 2);
  }
  return close == std::string_view::npos ? at : close + 1;
}

}  // namespace

Outline outline_csv(std::string_view text) {
  Outline outline({});
  const char terminator = line_terminator(text);
  bool field_begins = true;
  for (std::size_t at = 0; at < text.size();) {
    if (field_begins && text[at] == '"') {
      const std::size_t after = skip_field(text, at);
      field_begins = false;
      at = after > at ? after : at + 1;
      continue;
    }
    const char character = text[at++];
    field_begins = is_separator(character) || character == terminator;
    if (character == terminator && at < text.size()) outline.add(at, 0);
  }
  return outline;
}

}  // namespace loci
