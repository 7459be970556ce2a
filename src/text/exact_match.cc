#include "text/exact_match.h"

#include <algorithm>
#include <cstddef>

#include <utf8proc.h>

#include "base/utf8.h"
#include "text/char_class.h"

namespace loci {
namespace {

// Signs that hold the parts of a path, a name or a version together.
bool is_joint(char32_t c) {
  return c < 128 && std::string_view("/\\.-@#").find(static_cast<char>(c)) != std::string_view::npos;
}

bool is_in_word(char32_t c) {
  const CharClass char_class = classify(c);
  return c == '_' || begins_word(char_class) || char_class == CharClass::mark;
}

// In small letters, with single spaces and none at its ends.
std::string evened(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool has_gap = false;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint next = decode_utf8(text, at);
    at += next.length;
    if (is_space(next.value)) {
      has_gap = true;
      continue;
    }
    if (has_gap && !out.empty()) out.push_back(' ');
    has_gap = false;
    append_utf8(out, static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(next.value))));
  }
  return out;
}

std::size_t start_of_last(std::string_view text, std::size_t end) {
  return end == 0 ? 0 : floor_char_boundary(text, end - 1);
}

// The characters that end and begin at this byte; 0 where the text does.
char32_t before(std::string_view text, std::size_t at) {
  return at == 0 ? 0 : decode_utf8(text, start_of_last(text, at)).value;
}
char32_t after(std::string_view text, std::size_t at) { return decode_utf8(text, at).value; }

// How a term whose outermost character is `own` ends beside `next`, behind which `next_but_one` stands.
ExactMatch end_between(char32_t own, char32_t next, char32_t next_but_one) {
  if (is_in_word(own) && is_in_word(next)) return ExactMatch::none;
  if (is_joint(own) && is_in_word(next)) return ExactMatch::part;
  if (is_joint(next) && is_in_word(next_but_one)) return ExactMatch::part;
  return ExactMatch::whole;
}

ExactMatch match_at(std::string_view text, std::size_t start, std::size_t end) {
  const std::size_t previous = start_of_last(text, start);
  const ExactMatch left = end_between(after(text, start), before(text, start), before(text, previous));
  const std::size_t following = end + decode_utf8(text, end).length;
  const ExactMatch right = end_between(before(text, end), after(text, end), after(text, following));
  return std::min(left, right);
}

}  // namespace

ExactMatcher::ExactMatcher(std::string_view term) : term_(evened(term)) {}

ExactMatch ExactMatcher::find(std::string_view text) const {
  ExactMatch best = ExactMatch::none;
  if (term_.empty()) return best;
  const std::string searched = evened(text);
  for (std::size_t at = searched.find(term_); at != std::string::npos && best != ExactMatch::whole;
       at = searched.find(term_, at + 1))
    best = std::max(best, match_at(searched, at, at + term_.size()));
  return best;
}

}  // namespace loci
