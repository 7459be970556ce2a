#include "search/exact_terms.h"

#include <algorithm>
#include <cstddef>

#include "text/date_range.h"
#include "text/query_segments.h"
#include "text/query_words.h"

namespace loci {
namespace {

constexpr std::size_t kShortestCode = 3;
constexpr std::size_t kShortestNumber = 4;
// So many words in capitals, if they are most of the words, are a manner of speaking.
constexpr std::size_t kFewestShouted = 3;
// A question asks for no more words, either.
constexpr std::size_t kMostExactTerms = kMaxQueryWords;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_small(char c) { return c >= 'a' && c <= 'z'; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter(char c) { return is_small(c) || is_capital(c); }

bool has_any(std::string_view word, bool (*is_kind)(char)) { return std::any_of(word.begin(), word.end(), is_kind); }
bool has_only(std::string_view word, bool (*is_kind)(char)) { return std::all_of(word.begin(), word.end(), is_kind); }

bool is_in_capitals(std::string_view word) { return word.size() >= kShortestCode && has_only(word, is_capital); }

bool has_mark(std::string_view word) {
  constexpr std::string_view kMarks = "_/\\$&%|+";
  constexpr std::string_view kJoints = ".:@#=";
  for (std::size_t i = 0; i < word.size(); ++i) {
    const bool is_inside = i > 0 && i + 1 < word.size();
    if (kMarks.find(word[i]) != std::string_view::npos) return true;
    if (is_inside && kJoints.find(word[i]) != std::string_view::npos) return true;
    if (i > 0 && is_capital(word[i]) && is_small(word[i - 1])) return true;
  }
  return word.starts_with('-') || (word.starts_with('.') && !word.starts_with(".."));  // "...and" is prose
}

// "139264", "10.0.0.7"; a year or another date is none, and neither is a price.
bool is_number_code(std::string_view word) {
  const auto points = std::count(word.begin(), word.end(), '.');
  if (!std::all_of(word.begin(), word.end(), [](char c) { return is_digit(c) || c == '.'; })) return false;
  if (points > 0) return points > 1 && dates_in(word).empty();
  const bool is_year = word.size() == kShortestNumber && (word.starts_with("19") || word.starts_with("20"));
  return word.size() >= kShortestNumber && !is_year;
}

std::vector<std::string_view> parts_between_hyphens(std::string_view word) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = word.find('-');
    parts.push_back(word.substr(0, end));
    if (end == std::string_view::npos) return parts;
    word.remove_prefix(end + 1);
  }
}

// Three words that say something, tied by hyphens, are a name ("text-embedding-ada"); "state-of-the-art" is not.
bool is_tied_name(std::string_view word) {
  constexpr std::size_t kFewestOfName = 3;
  const std::vector<std::string_view> parts = parts_between_hyphens(word);
  const auto is_telling = [](std::string_view part) {
    return !part.empty() && !is_common_word(part) && has_only(part, is_letter);
  };
  return parts.size() >= kFewestOfName && std::all_of(parts.begin(), parts.end(), is_telling);
}

// Without the signs of the sentence around it.
std::string_view bare(std::string_view word) {
  constexpr std::string_view kBefore = "([{<'`,;";
  constexpr std::string_view kAfter = ")]}>'`,;:.?!";
  while (!word.empty() && kBefore.find(word.front()) != std::string_view::npos) word.remove_prefix(1);
  while (!word.empty() && kAfter.find(word.back()) != std::string_view::npos) word.remove_suffix(1);
  if (word.ends_with("'s")) word.remove_suffix(2);
  return word;
}

void add_words_of(std::string_view text, std::vector<std::string_view>& words) {
  constexpr std::string_view kBlanks = " \t\r\n";
  for (std::size_t start = text.find_first_not_of(kBlanks); start != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, start), text.size());
    words.push_back(bare(text.substr(start, end - start)));
    start = text.find_first_not_of(kBlanks, end);
  }
}

bool is_shouted(const std::vector<std::string_view>& words) {
  const auto loud = static_cast<std::size_t>(std::count_if(words.begin(), words.end(), is_in_capitals));
  return loud >= kFewestShouted && loud * 2 > words.size();
}

}  // namespace

bool is_code(std::string_view word) {
  if (is_number_code(word) || is_in_capitals(word) || is_tied_name(word)) return true;
  return word.size() >= kShortestCode && has_any(word, is_letter) && (has_mark(word) || has_any(word, is_digit));
}

std::vector<std::string> exact_terms_in(std::string_view question) {
  std::vector<std::string_view> phrases;
  std::vector<std::string_view> words;
  for (const QuerySegment& segment : query_segments(question)) {
    if (!segment.is_quoted) add_words_of(segment.text, words);
    if (segment.is_quoted && !segment.text.empty()) phrases.push_back(segment.text);
  }
  std::vector<std::string> terms;
  const auto add_once = [&terms](std::string_view term) {
    if (terms.size() < kMostExactTerms && std::find(terms.begin(), terms.end(), term) == terms.end())
      terms.emplace_back(term);
  };
  for (const std::string_view phrase : phrases) add_once(phrase);
  const bool ignores_capitals = is_shouted(words);
  for (const std::string_view word : words) {
    if (is_code(word) && !(ignores_capitals && is_in_capitals(word))) add_once(word);
  }
  return terms;
}

}  // namespace loci
