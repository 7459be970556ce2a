#include "text/query_words.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "text/query_segments.h"
#include "text/tokenizer.h"

namespace loci {
namespace {

constexpr std::size_t kMaxPhraseWords = 32;

// Words that are in almost every document: to look them up costs the most and tells the least.
constexpr std::string_view kCommonWords[] = {
    "a",     "about", "an",    "and",   "are",   "as",   "at",     "be",   "been",  "but",  "by",
    "can",   "could", "did",   "do",    "does",  "for",  "from",   "had",  "has",   "have", "he",
    "her",   "his",   "how",   "i",     "if",    "in",   "into",   "is",   "it",    "its",  "me",
    "my",    "of",    "on",    "or",    "our",   "she",  "should", "so",   "than",  "that", "the",
    "their", "them",  "then",  "there", "these", "they", "this",   "to",   "was",   "we",   "were",
    "what",  "when",  "where", "which", "who",   "why",  "will",   "with", "would", "you",  "your",
};

// One position of the query.
struct Word {
  std::string text;
  TokenKind kind;
  bool is_common;
};

// Words that belong together: an identifier, a run of characters without spaces, an emoji.
struct Group {
  std::vector<Word> words;
  std::string joined;            // all of it as one word; empty when it has but one part
  bool has_only_hyphens = true;  // between its parts
};

class GroupReader {
 public:
  std::vector<Group> read(std::string_view text) {
    groups_.clear();
    // Only our own expressions may begin with the mark; what a user sends is never taken as it is.
    while (text.starts_with(kIndexWordsMark)) text.remove_prefix(1);
    tokenizer_.tokenize(text, TokenizeFor::query, [this, text](const Token& token) {
      add(token, text);
      return 0;
    });
    return std::move(groups_);
  }

 private:
  void add(const Token& token, std::string_view text) {
    if (!token.continues) groups_.emplace_back();
    Group& group = groups_.back();
    if (!token.colocated) {
      if (token.continues && text[token.start - 1] != '-') group.has_only_hyphens = false;
      const std::string_view typed = text.substr(token.start, token.end - token.start);
      group.words.push_back({std::string(token.text), token.kind, is_common_word(typed)});
    } else if (group.words.size() == 1) {
      group.joined = token.text;  // of several at the first position the last is the whole identifier
    }
  }

  Tokenizer tokenizer_;
  std::vector<Group> groups_;
};

// What one word of the query asks for: any of the terms.
struct Alternatives {
  std::vector<std::string> terms;
  bool is_common = false;
};

// Words of the index in a row; a single character at the end may go on in the document.
class Phrase {
 public:
  void add(std::string_view word, TokenKind kind) {
    if (count_ == kMaxPhraseWords) return;
    ++count_;
    if (!text_.empty()) text_.push_back(' ');
    text_.append(word);
    is_open_ = kind == TokenKind::last_character;
  }
  void add(const std::vector<Word>& words) {
    for (const Word& word : words) add(word.text, word.kind);
  }
  std::string term() const { return is_open_ ? text_ + "*" : text_; }

 private:
  std::string text_;
  std::size_t count_ = 0;
  bool is_open_ = false;
};

std::string phrase_of(const Group& group) {
  Phrase phrase;
  phrase.add(group.words);
  return phrase.term();
}

// A part that says something without the others; "v", "cc" and "2" do not.
bool is_telling_part(const Word& word) {
  return word.text.size() >= 3 && !word.is_common && word.text.find_first_not_of("0123456789") != std::string::npos;
}

void add_identifier(const Group& group, std::vector<Alternatives>& asked) {
  std::vector<std::string> terms;
  if (!group.joined.empty()) terms.push_back(group.joined);
  const bool is_telling = std::all_of(group.words.begin(), group.words.end(), is_telling_part);
  // In prose, where the words of "long-term" often stand apart, a phrase on top of them would count the same thing
  // thrice.
  if (!is_telling || !group.has_only_hyphens) terms.push_back(phrase_of(group));
  asked.push_back({std::move(terms)});
  for (const Word& word : group.words) {
    if (is_telling_part(word)) asked.push_back({{word.text}});
  }
}

void add_group(const Group& group, std::vector<Alternatives>& asked) {
  const Word& first = group.words.front();
  if (first.kind == TokenKind::pair) {
    for (const Word& word : group.words) asked.push_back({{word.text}});
  } else if (group.words.size() > 1 && first.kind == TokenKind::word) {
    add_identifier(group, asked);
  } else if (!group.joined.empty()) {
    asked.push_back({{group.joined}});  // C++ is not C
  } else {
    asked.push_back({{phrase_of(group)}, first.is_common});
  }
}

// Words in quotes stand in a row. Identifiers among them may have been written in parts or as one word.
void add_quoted(const std::vector<Group>& groups, std::vector<Alternatives>& asked) {
  if (groups.empty()) return;
  Phrase in_parts;
  Phrase joined;
  bool has_suffix = false;  // C++ is not C here either
  for (const Group& group : groups) {
    in_parts.add(group.words);
    if (group.joined.empty()) {
      joined.add(group.words);
    } else {
      joined.add(group.joined, TokenKind::joined);
      has_suffix = has_suffix || group.words.size() == 1;
    }
  }
  asked.push_back({{joined.term()}});
  if (!has_suffix) asked.back().terms.push_back(in_parts.term());
}

void keep_first_of_equals(std::vector<Alternatives>& asked) {
  std::unordered_set<std::string> seen;
  std::erase_if(asked, [&seen](const Alternatives& alternatives) {
    return alternatives.terms.empty() || !seen.insert(alternatives.terms.front()).second;
  });
}

void drop_common(std::vector<Alternatives>& asked) {
  const auto is_common = [](const Alternatives& alternatives) { return alternatives.is_common; };
  if (!std::all_of(asked.begin(), asked.end(), is_common)) std::erase_if(asked, is_common);
}

void drop_middle(std::vector<Alternatives>& asked) {
  if (asked.size() <= kMaxQueryWords) return;
  constexpr auto kHalf = static_cast<std::ptrdiff_t>(kMaxQueryWords / 2);
  asked.erase(asked.begin() + kHalf, asked.end() - kHalf);
}

}  // namespace

// The word as it was typed, since the stem of "does" is a deer.
bool is_common_word(std::string_view typed) {
  constexpr std::size_t kLongest = 6;
  if (typed.size() > kLongest) return false;
  std::string lower(typed);
  for (char& letter : lower) letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter | 0x20) : letter;
  return std::binary_search(std::begin(kCommonWords), std::end(kCommonWords), lower);
}

std::vector<std::string> query_terms(std::string_view query) {
  GroupReader reader;
  std::vector<Alternatives> asked;
  for (const QuerySegment& segment : query_segments(query)) {
    const std::vector<Group> groups = reader.read(segment.text);
    if (segment.is_quoted) {
      add_quoted(groups, asked);
    } else {
      for (const Group& group : groups) add_group(group, asked);
    }
  }
  keep_first_of_equals(asked);
  drop_common(asked);
  drop_middle(asked);

  std::vector<std::string> terms;
  std::unordered_set<std::string> seen;
  for (Alternatives& alternatives : asked) {
    for (std::string& term : alternatives.terms) {
      if (seen.insert(term).second) terms.push_back(std::move(term));
    }
  }
  return terms;
}

std::string fts5_any_word_query(std::string_view query) { return fts5_any_term_query(query_terms(query)); }

std::string fts5_any_term_query(std::span<const std::string> terms) {
  std::string expression;
  for (std::string_view term : terms) {
    const bool is_beginning = term.ends_with('*');
    if (is_beginning) term.remove_suffix(1);
    if (!expression.empty()) expression.append(" OR ");
    // The words of the index have no quotes, spaces or control characters, so nothing needs an escape inside the
    // string.
    expression.push_back('"');
    expression.push_back(kIndexWordsMark);
    expression.append(term);
    expression.push_back('"');
    if (is_beginning) expression.append(" *");
  }
  return expression;
}

}  // namespace loci
