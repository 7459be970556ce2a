#include "ingest/ignore_pattern.h"

#include <array>
#include <cstddef>

namespace loci {
namespace {

// What a match of the rest of a glob can tell the stars before it. `never` keeps stars from trying every length when
// no length can help, which makes the match linear instead of exponential in the number of stars.
enum class Match { yes, no, never, needs_slash };

struct CharacterClass {
  std::string_view name;
  bool (*holds)(unsigned char);
};
bool is_digit(unsigned char c) { return c >= '0' && c <= '9'; }
bool is_lower(unsigned char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(unsigned char c) { return c >= 'A' && c <= 'Z'; }
bool is_alpha(unsigned char c) { return is_lower(c) || is_upper(c); }
bool is_graph(unsigned char c) { return c > 0x20 && c < 0x7F; }
constexpr std::array kClasses = {
    CharacterClass{"alnum", [](unsigned char c) { return is_alpha(c) || is_digit(c); }},
    CharacterClass{"alpha", is_alpha},
    CharacterClass{"blank", [](unsigned char c) { return c == ' ' || c == '\t'; }},
    CharacterClass{"cntrl", [](unsigned char c) { return c < 0x20 || c == 0x7F; }},
    CharacterClass{"digit", is_digit},
    CharacterClass{"graph", is_graph},
    CharacterClass{"lower", is_lower},
    CharacterClass{"print", [](unsigned char c) { return is_graph(c) || c == ' '; }},
    CharacterClass{"punct", [](unsigned char c) { return is_graph(c) && !is_alpha(c) && !is_digit(c); }},
    CharacterClass{"space", [](unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }},
    CharacterClass{"upper", is_upper},
    CharacterClass{"xdigit",
                   [](unsigned char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }},
};

// Reads a bracket expression that begins at glob[at] == '[' and leaves `at` behind it. Nothing: it is malformed, and
// the glob matches nothing.
std::optional<bool> bracket_matches(std::string_view glob, std::size_t& at, unsigned char c) {
  std::size_t i = at + 1;
  const bool is_negated = i < glob.size() && (glob[i] == '!' || glob[i] == '^');
  if (is_negated) ++i;
  bool matched = false;
  int previous = -1;  // the character that a range could begin with
  for (bool is_first = true;; is_first = false) {
    if (i >= glob.size()) return std::nullopt;
    auto next = static_cast<unsigned char>(glob[i]);
    if (next == ']' && !is_first) break;
    const bool is_range = next == '-' && previous >= 0 && i + 1 < glob.size() && glob[i + 1] != ']';
    if (next == '[' && i + 1 < glob.size() && glob[i + 1] == ':') {
      const std::size_t close = glob.find(']', i + 2);
      if (close == std::string_view::npos) return std::nullopt;
      if (close > i + 2 && glob[close - 1] == ':') {
        const std::string_view name = glob.substr(i + 2, close - i - 3);
        const CharacterClass* found = nullptr;
        for (const CharacterClass& known : kClasses) {
          if (known.name == name) found = &known;
        }
        if (found == nullptr) return std::nullopt;
        matched = matched || found->holds(c);
        previous = -1;
        i = close + 1;
        continue;
      }
    }
    if (is_range) {
      ++i;
      if (glob[i] == '\\' && ++i >= glob.size()) return std::nullopt;
      const auto last = static_cast<unsigned char>(glob[i]);
      matched = matched || (c >= static_cast<unsigned char>(previous) && c <= last);
      previous = -1;
    } else {
      if (next == '\\') {
        if (++i >= glob.size()) return std::nullopt;
        next = static_cast<unsigned char>(glob[i]);
      }
      matched = matched || c == next;
      previous = next;
    }
    ++i;
  }
  at = i + 1;
  return matched != is_negated && c != '/';
}

Match match_from(std::string_view glob, std::size_t at, std::string_view text);

Match match_stars(std::string_view glob, std::size_t at, std::string_view text) {
  const std::size_t stars = at;
  while (at < glob.size() && glob[at] == '*') ++at;
  const bool begins_part = stars == 0 || glob[stars - 1] == '/';
  const bool ends_part =
      at == glob.size() || glob[at] == '/' || (glob[at] == '\\' && at + 1 < glob.size() && glob[at + 1] == '/');
  const bool crosses_slashes = at - stars >= 2 && begins_part && ends_part;
  if (crosses_slashes && at < glob.size() && glob[at] == '/' && match_from(glob, at + 1, text) == Match::yes)
    return Match::yes;  // no folder in between
  if (at == glob.size())
    return crosses_slashes || text.find('/') == std::string_view::npos ? Match::yes : Match::needs_slash;
  for (std::size_t taken = 0; taken <= text.size(); ++taken) {
    const Match rest = match_from(glob, at, text.substr(taken));
    if (rest == Match::yes || rest == Match::never) return rest;
    if (rest == Match::needs_slash && !crosses_slashes) return rest;
    if (!crosses_slashes && taken < text.size() && text[taken] == '/') return Match::needs_slash;
  }
  return Match::never;
}

Match match_from(std::string_view glob, std::size_t at, std::string_view text) {
  std::size_t i = 0;
  while (at < glob.size()) {
    if (glob[at] == '*') return match_stars(glob, at, text.substr(i));
    if (i == text.size()) return Match::never;
    const auto c = static_cast<unsigned char>(text[i]);
    if (glob[at] == '?') {
      if (c == '/') return Match::no;
      ++at;
    } else if (glob[at] == '[') {
      const std::optional<bool> matched = bracket_matches(glob, at, c);
      if (!matched) return Match::never;
      if (!*matched) return Match::no;
    } else {
      if (glob[at] == '\\' && ++at == glob.size()) return Match::no;
      if (static_cast<unsigned char>(glob[at]) != c) return Match::no;
      ++at;
    }
    ++i;
  }
  return i == text.size() ? Match::yes : Match::no;
}

// Spaces at the end do not count, but for one behind a backslash.
std::string_view without_trailing_spaces(std::string_view line) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size()) {
      end = ++i + 1;
    } else if (line[i] != ' ') {
      end = i + 1;
    }
  }
  return line.substr(0, end);
}

}  // namespace

bool glob_matches(std::string_view glob, std::string_view path) { return match_from(glob, 0, path) == Match::yes; }

std::optional<IgnorePattern> IgnorePattern::parse(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.starts_with('#')) return std::nullopt;
  line = without_trailing_spaces(line);
  IgnorePattern pattern;
  if (line.starts_with('!')) {
    pattern.is_negated = true;
    line.remove_prefix(1);
  }
  if (line.ends_with('/')) {
    pattern.folders_only = true;
    line.remove_suffix(1);
  }
  pattern.is_anchored = line.find('/') != std::string_view::npos;
  if (line.starts_with('/')) line.remove_prefix(1);
  if (line.empty()) return std::nullopt;
  pattern.glob = line;
  return pattern;
}

bool IgnorePattern::matches(std::string_view path, EntryKind kind) const {
  if (folders_only && kind != EntryKind::folder) return false;
  return glob_matches(glob, is_anchored ? path : path.substr(path.rfind('/') + 1));
}

}  // namespace loci
