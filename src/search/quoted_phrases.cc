#include "search/quoted_phrases.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

#include "search/candidates.h"
#include "text/query_segments.h"
#include "text/query_words.h"

namespace loci {
namespace {

// A query with more phrases is no question; the others stay as they are.
constexpr std::size_t kMostPhrases = kMaxQueryWords;

// Curled where the phrase itself has straight ones.
std::string in_quotes_again(std::string_view phrase) {
  if (phrase.find('"') == std::string_view::npos) return "\"" + std::string(phrase) + "\"";
  return "\xE2\x80\x9C" + std::string(phrase) + "\xE2\x80\x9D";
}

// Does it say anything else without its quotes? One plain word does not.
bool is_phrase(std::string_view phrase) {
  const std::vector<std::string> terms = query_terms(in_quotes_again(phrase));
  return !terms.empty() && terms != query_terms(phrase);
}

Result<bool> is_anywhere(const Collection& drawers, const Filter& where, std::string_view phrase) {
  const MatchRequest match = {.text = in_quotes_again(phrase), .n_results = 1, .where = where, .include = kIdsOnly};
  return !TRY(drawers.match(match)).empty();
}

bool is_of_word(char byte) {
  return static_cast<unsigned char>(byte) >= 0x80 || std::isalnum(static_cast<unsigned char>(byte)) != 0;
}

// A quote also ends a word.
void append_apart(std::string& text, std::string_view more) {
  if (!text.empty() && !more.empty() && is_of_word(text.back()) && is_of_word(more.front())) text.push_back(' ');
  text.append(more);
}

}  // namespace

Result<LoosenedQuestion> loosen_quotes(const Collection& drawers, const Filter& where, std::string_view question) {
  LoosenedQuestion loosened;
  std::size_t looked_up = 0;
  for (const QuerySegment& segment : query_segments(question)) {
    const bool is_looked_up = segment.is_quoted && looked_up < kMostPhrases && is_phrase(segment.text);
    if (is_looked_up) ++looked_up;
    const bool is_lost = is_looked_up && !TRY(is_anywhere(drawers, where, segment.text));
    if (segment.is_quoted && !is_lost) {
      loosened.text += in_quotes_again(segment.text);
      continue;
    }
    append_apart(loosened.text, segment.text);
    const bool is_named =
        std::find(loosened.phrases.begin(), loosened.phrases.end(), segment.text) != loosened.phrases.end();
    if (is_lost && !is_named) loosened.phrases.emplace_back(segment.text);
  }
  if (loosened.phrases.empty()) loosened.text = question;
  return loosened;
}

}  // namespace loci
