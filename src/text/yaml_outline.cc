// YAML: documents, then keys and items by how far they are indented. Comments go with the key below them.
#include <algorithm>
#include <vector>

#include "text/held_comment.h"
#include "text/lines.h"
#include "text/outline.h"

namespace loci {
namespace {

bool is_item(std::string_view content) { return content == "-" || content.starts_with("- "); }

// The line without its indentation and its end.
std::string_view content_of(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return line.substr(first, line.find_last_not_of("\r\n") + 1 - first);
}

}  // namespace

Outline outline_yaml(std::string_view text) {
  Outline outline({.eager_ranks = 2});
  std::vector<std::size_t> indents;  // of the keys that the last line is in
  HeldComment comment;
  LineReader lines(text);
  while (lines.next()) {
    const std::string_view line = lines.line();
    const std::string_view content = content_of(line);
    if (content.empty()) {
      comment.release(outline, indents.size());
      continue;
    }
    if (content.front() == '#') {
      comment.hold(lines.start());
      continue;
    }
    if (line.starts_with("---")) {
      indents.clear();
      outline.add(comment.take_or(lines.start()), 0);
      continue;
    }
    // An item may stand below its key without being indented; it is deeper all the same.
    const std::size_t indent = 2 * line.find_first_not_of(' ') + (is_item(content) ? 1 : 0);
    while (!indents.empty() && indents.back() >= indent) indents.pop_back();
    indents.push_back(indent);
    outline.add(comment.take_or(lines.start()), indents.size());
  }
  comment.release(outline, indents.size());
  return outline;
}

}  // namespace loci
