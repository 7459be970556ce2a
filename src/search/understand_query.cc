#include "search/understand_query.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "search/weights.h"

namespace loci {
namespace {

constexpr std::size_t kShortestIdentifier = 3;
constexpr std::size_t kMostExactTerms = 8;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_small(char c) { return c >= 'a' && c <= 'z'; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter(char c) { return is_small(c) || is_capital(c); }

void add_once(std::vector<std::string>& terms, std::string_view term) {
  if (terms.size() < kMostExactTerms && std::find(terms.begin(), terms.end(), term) == terms.end())
    terms.emplace_back(term);
}

// The phrases in quotes, straight or curled; the rest of the text is returned with blanks for them.
std::string take_phrases(std::string_view question, std::vector<std::string>& terms) {
  struct Quotes {
    std::string_view open;
    std::string_view close;
  };
  constexpr std::array<Quotes, 2> kQuotes = {{{"\"", "\""}, {"\xE2\x80\x9C", "\xE2\x80\x9D"}}};
  std::string rest(question);
  for (const Quotes& quotes : kQuotes) {
    for (std::size_t start = rest.find(quotes.open); start != std::string::npos;
         start = rest.find(quotes.open, start)) {
      const std::size_t inner = start + quotes.open.size();
      const std::size_t end = rest.find(quotes.close, inner);
      if (end == std::string::npos) break;
      if (end > inner) add_once(terms, std::string_view(rest).substr(inner, end - inner));
      std::fill(rest.begin() + static_cast<std::ptrdiff_t>(start),
                rest.begin() + static_cast<std::ptrdiff_t>(end + quotes.close.size()), ' ');
    }
  }
  return rest;
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

}  // namespace

bool is_identifier(std::string_view word) {
  if (word.size() < kShortestIdentifier) return false;
  bool has_letter = false;
  bool has_digit = false;
  bool has_mark = false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    has_letter = has_letter || is_letter(c);
    has_digit = has_digit || is_digit(c);
    const bool is_inside = i > 0 && i + 1 < word.size();
    const bool is_joint = c == '.' || c == ':' || c == '@' || c == '#' || c == '=';
    has_mark = has_mark || c == '_' || c == '/' || c == '\\' || (is_joint && is_inside && word[i + 1] != ' ') ||
               (is_capital(c) && i > 0 && is_small(word[i - 1]));
  }
  return has_letter && (has_mark || has_digit);
}

QueryFacts understand_query(std::string_view question, std::optional<std::int64_t> today) {
  QueryFacts facts{.dates = dates_in(question, today), .exact_terms = {}};
  const std::string rest = take_phrases(question, facts.exact_terms);
  constexpr std::string_view kSpaces = " \t\r\n";
  for (std::size_t start = rest.find_first_not_of(kSpaces); start != std::string::npos;) {
    const std::size_t end = std::min(rest.find_first_of(kSpaces, start), rest.size());
    const std::string_view word = bare(std::string_view(rest).substr(start, end - start));
    if (is_identifier(word)) add_once(facts.exact_terms, word);
    start = rest.find_first_not_of(kSpaces, end);
  }
  return facts;
}

double nearness(const std::vector<DateRange>& dates, std::int64_t day) {
  double nearest = 0;
  for (const DateRange& range : dates) {
    double away = 0;
    if (day < range.first_day) away = static_cast<double>(range.first_day - day) / kDaysBefore;
    if (day > range.last_day) away = static_cast<double>(day - range.last_day) / kDaysAfter;
    nearest = std::max(nearest, std::exp(-away));
  }
  return nearest;
}

}  // namespace loci
