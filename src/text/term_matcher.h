// Where the terms of a query stand in a document, by the rules of the word index.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/tokenizer.h"

namespace loci {

struct TermMatch {
  std::size_t start;  // bytes of the document
  std::size_t end;
  std::size_t term;  // which of the terms
};

// Finds terms (query_words.h) in one document after the other. Used by one thread at a time.
class TermMatcher {
 public:
  // The terms must outlive it.
  explicit TermMatcher(const std::vector<std::string>& terms);

  // In the order of their starts.
  std::vector<TermMatch> find(std::string_view document);

  // How many words the document has that was searched last.
  std::size_t word_count() const { return position_; }

 private:
  struct Term {
    std::vector<std::string_view> words;
    bool is_open = false;  // the last word is the beginning of one
  };
  struct Attempt {
    std::size_t term;
    std::size_t found;     // how many words of it
    std::size_t position;  // of the last one
    std::size_t start;
  };

  void take(const Token& token);
  void advance(const Attempt& attempt, const Token& token);
  bool is_word(std::size_t term, std::size_t index, std::string_view text) const;

  Tokenizer tokenizer_;
  std::vector<Term> terms_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> by_first_word_;
  std::vector<std::size_t> open_words_;
  std::vector<Attempt> attempts_;
  std::vector<TermMatch> matches_;
  std::size_t position_ = 0;
};

}  // namespace loci
