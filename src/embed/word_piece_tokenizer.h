// From a text to the numbers that a BERT model reads: words are cut into the longest pieces that the model knows.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "embed/vocabulary.h"
#include "loci/result.h"
#include "text/bert_words.h"

namespace loci {

// A piece that is recognised in the text as it stands, before anything else: "[MASK]".
struct AddedToken {
  std::string content;
  TokenId id = 0;
};

struct WordPieceSettings {
  BertTextRules rules;
  std::string continuation_prefix = "##";  // before each piece of a word but the first
  std::vector<AddedToken> added_tokens;
  TokenId unknown = 0;
  TokenId begin = 0;  // [CLS]
  TokenId end = 0;    // [SEP]
};

// Many threads may use one at once.
class WordPieceTokenizer {
 public:
  // The vocabulary's block must outlive the tokenizer.
  WordPieceTokenizer(WordPieceSettings settings, Vocabulary vocabulary);

  // The tokens of the text alone, at most `limit` of them; what lies beyond is not looked at. The text must be valid
  // UTF-8.
  std::vector<TokenId> tokens(std::string_view text, std::size_t limit) const;

  // The same between the marks of begin and end, which count for the limit; it is at least 2.
  std::vector<TokenId> sequence(std::string_view text, std::size_t limit) const;

  // The share of the characters of its words that are in pieces of several characters, or in words that are pieces as a
  // whole, as each Han character is one. What is spelled letter by letter, or unknown, is not read. 1 without any word.
  double readable_share(std::string_view text) const;

  const WordPieceSettings& settings() const { return settings_; }

 private:
  struct Match {
    std::size_t begin;
    const AddedToken* token;  // null: none up to the end
  };
  Match next_added_token(std::string_view text, std::size_t from) const;
  void append_words(std::string_view text, std::size_t limit, std::vector<TokenId>& out) const;
  void append_pieces(std::string_view word, std::string& buffer, std::vector<TokenId>& out) const;
  template <typename Take>
  bool cut_into_pieces(std::string_view word, std::string& buffer, const Take& take) const;

  WordPieceSettings settings_;
  Vocabulary vocabulary_;
  std::string first_bytes_;  // of the added tokens, each once
};

}  // namespace loci
