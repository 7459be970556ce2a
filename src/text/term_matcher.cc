#include "text/term_matcher.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"

namespace loci {
namespace {

std::size_t length_of_first(const Token& token) {
  const std::size_t length = token.end - token.start;
  return token.kind == TokenKind::pair ? std::min(decode_utf8(token.text, 0).length, length) : length;
}

}  // namespace

TermMatcher::TermMatcher(const std::vector<std::string>& terms) {
  for (std::string_view term : terms) {
    Term& parsed = terms_.emplace_back();
    parsed.is_open = term.ends_with('*');
    if (parsed.is_open) term.remove_suffix(1);
    for (std::size_t start = 0; start <= term.size();) {
      const std::size_t end = std::min(term.find(' ', start), term.size());
      parsed.words.push_back(term.substr(start, end - start));
      start = end + 1;
    }
    const std::size_t index = terms_.size() - 1;
    if (parsed.is_open && parsed.words.size() == 1) {
      open_words_.push_back(index);
    } else {
      by_first_word_[parsed.words.front()].push_back(index);
    }
  }
}

std::vector<TermMatch> TermMatcher::find(std::string_view document) {
  attempts_.clear();
  position_ = 0;
  tokenizer_.tokenize(document, TokenizeFor::document, [this](const Token& token) {
    take(token);
    return 0;
  });
  std::stable_sort(matches_.begin(), matches_.end(),
                   [](const TermMatch& left, const TermMatch& right) { return left.start < right.start; });
  return std::exchange(matches_, {});
}

void TermMatcher::take(const Token& token) {
  if (!token.colocated) {
    ++position_;
    std::erase_if(attempts_, [this](const Attempt& attempt) { return attempt.position + 1 < position_; });
  }
  // Attempts that this token adds wait for the next position, so only the old ones are looked at.
  for (std::size_t index = 0, count = attempts_.size(); index < count; ++index) {
    const Attempt attempt = attempts_[index];
    if (attempt.position + 1 != position_ || !is_word(attempt.term, attempt.found, token.text)) continue;
    advance({attempt.term, attempt.found + 1, position_, attempt.start}, token);
  }
  if (const auto found = by_first_word_.find(token.text); found != by_first_word_.end()) {
    for (const std::size_t term : found->second) advance({term, 1, position_, token.start}, token);
  }
  for (const std::size_t term : open_words_) {
    // The character that was asked for is the first of the pair.
    if (is_word(term, 0, token.text)) matches_.push_back({token.start, token.start + length_of_first(token), term});
  }
}

void TermMatcher::advance(const Attempt& attempt, const Token& token) {
  if (attempt.found == terms_[attempt.term].words.size()) {
    matches_.push_back({attempt.start, token.end, attempt.term});
  } else {
    attempts_.push_back(attempt);
  }
}

bool TermMatcher::is_word(std::size_t term, std::size_t index, std::string_view text) const {
  const Term& wanted = terms_[term];
  const bool is_beginning = wanted.is_open && index + 1 == wanted.words.size();
  return is_beginning ? text.starts_with(wanted.words[index]) : text == wanted.words[index];
}

}  // namespace loci
