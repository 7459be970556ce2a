// HTML by its headings and blocks, XML by how deep its elements are. Tags are looked for, not parsed: pages are rarely
// well-formed.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "text/lines.h"
#include "text/outline.h"

namespace loci {
namespace {

struct ElementRank {
  std::string_view name;
  std::size_t rank;
};

constexpr std::size_t kEagerRanks = 4;

constexpr std::array kElementRanks = std::to_array<ElementRank>({
    {"h1", 0},         {"h2", 1},      {"h3", 2},    {"h4", 3},       {"h5", 3},     {"h6", 3},     {"article", 1},
    {"section", 1},    {"main", 1},    {"body", 1},  {"template", 1}, {"header", 4}, {"footer", 4}, {"nav", 4},
    {"aside", 4},      {"form", 4},    {"table", 4}, {"script", 4},   {"style", 4},  {"pre", 4},    {"hr", 4},
    {"figure", 4},     {"details", 4}, {"p", 5},     {"div", 5},      {"ul", 5},     {"ol", 5},     {"dl", 5},
    {"blockquote", 5}, {"li", 6},      {"tr", 6},    {"dt", 6},       {"thead", 6},  {"tbody", 6},  {"fieldset", 6},
    {"dd", 7},         {"meta", 7},    {"link", 7},  {"option", 7},   {"label", 7},  {"td", 8},     {"th", 8},
    {"br", 8},
});

// Elements whose content is no markup.
constexpr std::array<std::string_view, 4> kRawElements = {"script", "style", "textarea", "pre"};

constexpr bool is_name_character(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
         (character >= '0' && character <= '9') || character == '-' || character == ':' || character == '_' ||
         static_cast<unsigned char>(character) >= 0x80;
}

std::string name_at(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongestName = 32;
  std::string name;
  for (; at < text.size() && name.size() < kLongestName && is_name_character(text[at]); ++at) {
    const char character = text[at];
    name += character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a') : character;
  }
  return name;
}

// The beginning of the line if nothing stands between it and the tag.
std::size_t with_indentation(std::string_view text, std::size_t at) {
  std::size_t start = at;
  while (start > 0 && (text[start - 1] == ' ' || text[start - 1] == '\t')) --start;
  return start == 0 || text[start - 1] == '\n' || text[start - 1] == '\r' ? start : at;
}

// The position after `closing`, or after the < at `at` when it never comes. What was not found once is not looked for
// again.
class Skipper {
 public:
  explicit Skipper(std::string_view text) : text_(text) {}

  std::size_t past(std::size_t at, std::string_view closing) {
    if (std::find(absent_.begin(), absent_.end(), closing) != absent_.end()) return at + 1;
    const std::size_t found = text_.find(closing, at);
    if (found != std::string_view::npos) return found + closing.size();
    absent_.emplace_back(closing);
    return at + 1;
  }

 private:
  std::string_view text_;
  std::vector<std::string> absent_;
};

std::size_t skip_comment_or_data(std::string_view text, std::size_t at, Skipper& skipper) {
  if (text.compare(at, 4, "<!--") == 0) return skipper.past(at, "-->");
  if (text.compare(at, 9, "<![CDATA[") == 0) return skipper.past(at, "]]>");
  if (text.compare(at, 2, "<?") == 0) return skipper.past(at, "?>");
  return at;
}

// The position after the tag that begins at `at`; a > in a quoted attribute does not end it. A tag that goes on for
// long is none.
std::size_t tag_end(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongestTag = 4096;
  const std::string_view within = text.substr(0, at + kLongestTag);
  char quote = '\0';
  for (std::size_t end = at + 1; end < within.size(); ++end) {
    const char character = within[end];
    if (quote != '\0') {
      if (character == quote) quote = '\0';
    } else if ((character == '"' || character == '\'') && within[end - 1] == '=') {
      quote = character;
    } else if (character == '>') {
      return end + 1;
    } else if (character == '<') {
      return end;
    }
  }
  return at + 1;
}

}  // namespace

Outline outline_html(std::string_view text) {
  Outline outline({.eager_ranks = kEagerRanks});
  Skipper skipper(text);
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at)) {
    if (const std::size_t after = skip_comment_or_data(text, at, skipper); after > at) {
      at = after;
      continue;
    }
    const std::string name = name_at(text, at + 1);
    const auto* const element = std::find_if(kElementRanks.begin(), kElementRanks.end(),
                                             [&](const ElementRank& known) { return known.name == name; });
    if (element == kElementRanks.end()) {
      ++at;
      continue;
    }
    outline.add(with_indentation(text, at), element->rank);
    const bool is_raw = std::find(kRawElements.begin(), kRawElements.end(), name) != kRawElements.end();
    at = is_raw ? skipper.past(at, "</" + name) : tag_end(text, at);
  }
  return outline;
}

Outline outline_xml(std::string_view text) {
  Outline outline({.eager_ranks = 2});
  Skipper skipper(text);
  std::size_t depth = 0;
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at)) {
    if (const std::size_t after = skip_comment_or_data(text, at, skipper); after > at) {
      at = after;
      continue;
    }
    const std::size_t end = tag_end(text, at);
    if (at + 1 < text.size() && text[at + 1] == '/') {
      if (depth > 0) --depth;
    } else if (at + 1 < text.size() && is_name_character(text[at + 1])) {
      outline.add(with_indentation(text, at), depth);
      if (end < 2 || text[end - 2] != '/') ++depth;
    }
    at = std::max(end, at + 1);
  }
  return outline;
}

}  // namespace loci
