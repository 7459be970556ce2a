#include "search/clean_query.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>

#include "base/utf8.h"
#include "text/query_words.h"

namespace loci {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

// What is left of a longer text is at most so long, and a sentence that says less than so many words is asked together
// with the one before it ("Who was there?").
constexpr std::size_t kAskedBytes = 400;
constexpr std::size_t kTellingWords = 2;

// Beside the common words: what people say when they ask for anything at all.
constexpr std::string_view kPoliteWords[] = {
    "advance", "again",    "answer",  "appreciate", "appreciated", "best",   "cheers", "find", "help",
    "kind",    "know",     "look",    "lot",        "many",        "much",   "need",   "ok",   "okay",
    "please",  "question", "regards", "tell",       "thank",       "thanks", "very",   "want",
};

constexpr std::string_view kQuestionWords[] = {
    "how", "what", "when", "where", "which", "who", "whom", "whose", "why",
};
constexpr std::string_view kQuestionVerbs[] = {
    "are", "can", "could", "did", "do", "does", "had", "has", "have", "is", "should", "was", "were", "will", "would",
};

// What may stand before the word that asks ("And in which file …").
constexpr std::string_view kLeadingWords[] = {
    "also", "and", "at",   "but", "by", "for",   "from", "hello", "hey",   "hi",    "in",   "now",
    "of",   "ok",  "okay", "on",  "so", "since", "then", "to",    "under", "until", "with",
};
// Who is told to do something is asked as well.
constexpr std::string_view kRequestWords[] = {
    "compare", "describe", "explain", "find",   "give", "help",      "list",      "look", "name",
    "please",  "recall",   "remind",  "search", "show", "summarise", "summarize", "tell",
};
// Behind a verb they tell a question ("did we") from a line of a log ("is running").
constexpr std::string_view kSubjects[] = {
    "a",       "an",   "any", "anyone", "he",    "i",    "it",   "our", "she", "somebody",
    "someone", "that", "the", "there",  "these", "they", "this", "we",  "you", "your",
};
constexpr std::array<std::string_view, 3> kQuestionMarks = {"?", "？", "؟"};

std::string_view trimmed(std::string_view text) {
  const std::size_t start = text.find_first_not_of(kSpaces);
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(kSpaces) - start + 1);
}

bool is_blank(char c) { return kSpaces.find(c) != std::string_view::npos; }

// Does a sentence end behind this byte? A point inside "v1.2" or "main.cc" ends none; the marks of scripts that write
// no space behind them end one anywhere.
bool ends_sentence(std::string_view text, std::size_t at) {
  constexpr std::array<std::string_view, 5> kOtherMarks = {"？", "。", "！", "؟", "।"};
  if (text[at] == '\n') return true;
  const std::string_view upto = text.substr(0, at + 1);
  if (std::any_of(kOtherMarks.begin(), kOtherMarks.end(), [&](std::string_view mark) { return upto.ends_with(mark); }))
    return true;
  if (text[at] != '.' && text[at] != '?' && text[at] != '!') return false;
  return at + 1 == text.size() || is_blank(text[at + 1]);
}

// Where the sentence that ends at `end` begins.
std::size_t sentence_start(std::string_view text, std::size_t end) {
  std::size_t start = end > 0 ? end - 1 : 0;
  while (start > 0 && !ends_sentence(text, start - 1)) --start;
  return start;
}

bool is_letter_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

std::size_t word_end(std::string_view text, std::size_t at) {
  while (at < text.size() && is_letter_byte(text[at])) ++at;
  return at;
}

bool is_any_of(std::string_view word, std::span<const std::string_view> words) {
  std::string lower(word);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return std::find(words.begin(), words.end(), lower) != words.end();
}

// Calls `visit` for each word.
template <typename Visit>
void for_each_word(std::string_view text, Visit visit) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = word_end(text, at);
    if (end > at) visit(text.substr(at, end - at), at);
    at = std::max(end, at + 1);
  }
}

// How many words say what is asked about. A script without spaces has a word in about six bytes.
std::size_t telling_words(std::string_view sentence) {
  constexpr std::size_t kBytesOfUnspacedWord = 6;
  std::size_t count = 0;
  for_each_word(sentence, [&count](std::string_view word, std::size_t) {
    const bool is_other_script = static_cast<unsigned char>(word.front()) >= 0x80;
    if (is_other_script) count += std::max<std::size_t>(word.size() / kBytesOfUnspacedWord, 1);
    if (!is_other_script && !is_common_word(word) && !is_any_of(word, kPoliteWords)) ++count;
  });
  return count;
}

bool is_politeness(std::string_view sentence) {
  bool is_polite = false;
  for_each_word(sentence, [&is_polite](std::string_view word, std::size_t) {
    is_polite = is_polite || is_any_of(word, kPoliteWords);
  });
  return is_polite && telling_words(sentence) == 0;
}

// Where the question begins that stands at the end of something else on the same line: at its last word with a capital
// that begins questions, or, where the whole is too long to be asked, at its last question word. 0: nothing tells.
std::size_t question_start(std::string_view sentence) {
  std::size_t capital = 0;
  std::size_t small = 0;
  const std::size_t first = sentence.size() > kAskedBytes ? sentence.size() - kAskedBytes : 0;
  for_each_word(sentence.substr(first), [&](std::string_view word, std::size_t at) {
    const bool is_question_word = is_any_of(word, kQuestionWords);
    const bool is_capital = word.front() >= 'A' && word.front() <= 'Z';
    if (is_capital && (is_question_word || is_any_of(word, kQuestionVerbs))) capital = first + at;
    if (is_question_word) small = first + at;
  });
  if (capital > 0) return capital;
  return first > 0 ? small : 0;
}

// The end of the text, not longer than what is asked and beginning with a whole character.
std::string_view tail(std::string_view text) {
  if (text.size() <= kAskedBytes) return text;
  std::size_t start = text.size() - kAskedBytes;
  while (start < text.size() && floor_char_boundary(text, start) != start) ++start;
  return text.substr(start);
}

// Before closing thanks.
std::size_t end_before_politeness(std::string_view text) {
  std::size_t end = text.size();
  for (;;) {
    const std::size_t start = sentence_start(text, end);
    const bool is_far = text.size() - start > kAskedBytes;
    if (start == 0 || is_far || !is_politeness(text.substr(start, end - start))) return end;
    end = text.find_last_not_of(kSpaces, start - 1) + 1;
  }
}

// Not inside an address ("/items?page=2").
bool is_mark_of_sentence(std::string_view text, std::size_t behind_mark) {
  constexpr std::string_view kBehindMark = " \t\r\n\"')]}>*_`!?.";
  return behind_mark == text.size() || kBehindMark.find(text[behind_mark]) != std::string_view::npos ||
         static_cast<unsigned char>(text[behind_mark]) >= 0x80;
}

// Where the text ends that asks: at the last question mark of the last line, if it has one; a mark above belongs to
// what was pasted.
std::size_t question_end(std::string_view text) {
  const std::size_t end = end_before_politeness(text);
  const std::size_t last_line = text.rfind('\n', end - 1) + 1;
  const std::size_t first = std::max(last_line, end - std::min(end, kAskedBytes));
  std::size_t behind_mark = 0;
  for (std::size_t at = first; at < end; ++at) {
    for (const std::string_view mark : kQuestionMarks) {
      const std::size_t behind = at + mark.size();
      const bool is_mark = text.substr(at, end - at).starts_with(mark);
      if (is_mark && (mark != "?" || is_mark_of_sentence(text, behind))) behind_mark = behind;
    }
  }
  return behind_mark > 0 ? behind_mark : end;
}

// Does it end with a question mark behind a word? Programs have theirs behind brackets and inside addresses.
bool has_question_mark(std::string_view sentence) {
  constexpr std::string_view kClosing = " \t\r\n\"')]*_`!";
  sentence = sentence.substr(0, sentence.find_last_not_of(kClosing) + 1);
  bool has_mark = false;
  const auto cut_mark = [&](std::string_view mark) {
    if (!sentence.ends_with(mark)) return false;
    sentence.remove_suffix(mark.size());
    return true;
  };
  while (std::any_of(kQuestionMarks.begin(), kQuestionMarks.end(), cut_mark)) has_mark = true;
  if (!has_mark || sentence.empty()) return false;
  const char before = sentence.back();
  return is_letter_byte(before) || (before >= '0' && before <= '9') || before == '"' || before == '\'' || before == '`';
}

// Does it begin as a question or a request does?
bool begins_to_ask(std::string_view sentence) {
  std::size_t at = 0;
  const auto next_word = [&sentence, &at]() -> std::string_view {
    while (at < sentence.size() && word_end(sentence, at) == at) ++at;
    const std::size_t start = at;
    at = word_end(sentence, at);
    return sentence.substr(start, at - start);
  };
  std::string_view word = next_word();
  while (is_any_of(word, kLeadingWords)) word = next_word();
  if (word.empty()) return false;
  if (is_any_of(word, kQuestionWords) || is_any_of(word, kRequestWords)) return true;
  if (!is_any_of(word, kQuestionVerbs)) return false;
  const bool is_capital = word.front() >= 'A' && word.front() <= 'Z';
  return is_capital || is_any_of(next_word(), kSubjects);
}

bool asks(std::string_view sentence) { return has_question_mark(sentence) || begins_to_ask(sentence); }

struct Range {
  std::size_t start = 0;
  std::size_t end = 0;

  std::string_view of(std::string_view text) const { return text.substr(start, end - start); }
};

// The last sentence with a question mark that ends in the last `reach` bytes.
std::optional<Range> last_question(std::string_view text, std::size_t reach) {
  const std::size_t lowest = text.size() - std::min(text.size(), reach);
  for (std::size_t end = text.size(); end > lowest;) {
    const Range sentence = {sentence_start(text, end), end};
    if (has_question_mark(sentence.of(text)) && telling_words(sentence.of(text)) > 0) return sentence;
    end = sentence.start;
  }
  return std::nullopt;
}

// The first sentence that asks, of those that begin in the first bytes.
std::optional<Range> opening_question(std::string_view text) {
  for (std::size_t start = 0; start < std::min(text.size(), kAskedBytes);) {
    std::size_t end = start + 1;
    while (end < text.size() && !ends_sentence(text, end - 1)) ++end;
    const Range sentence = {start, end};
    if (asks(sentence.of(text)) && telling_words(sentence.of(text)) > 0) return sentence;
    start = end;
  }
  return std::nullopt;
}

std::optional<Range> question_elsewhere(std::string_view text) {
  if (const auto late = last_question(text, kAskedBytes)) return late;
  if (const auto opening = opening_question(text)) return opening;
  return last_question(text, text.size());
}

// From where the sentence asks, or from an earlier one where it says little by itself.
std::string_view with_what_it_needs(std::string_view text, Range asked) {
  const std::size_t end = asked.end;
  std::size_t start = asked.start + question_start(asked.of(text));
  while (start > 0 && telling_words(text.substr(start, end - start)) < kTellingWords) {
    const std::size_t earlier = sentence_start(text, start);
    const bool is_other_line = text.substr(earlier, start - earlier).find_last_of('\n') != std::string_view::npos;
    if (end - earlier > kAskedBytes || (is_other_line && telling_words(text.substr(start, end - start)) > 0)) break;
    start = earlier;
  }
  return tail(trimmed(text.substr(start, end - start)));
}

}  // namespace

CleanQuery clean_query(std::string_view text) {
  text = trimmed(text);
  if (text.size() <= kLongestQuestionBytes) return {text, true};
  const std::size_t end = question_end(text);
  const Range last = {sentence_start(text, end), end};
  // The end of a line asks from its question word on.
  const std::size_t asking = question_start(last.of(text));
  if (asking > 0 || asks(last.of(text))) return {with_what_it_needs(text, last), true};
  if (const auto other = question_elsewhere(text)) return {with_what_it_needs(text, *other), true};
  return {with_what_it_needs(text, last), false};
}

}  // namespace loci
