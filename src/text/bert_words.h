// The words of a text as the BERT family of language models cuts them: the step before word pieces. What is a word here
// was fixed when those models were trained, and has nothing to do with the words of our own index (tokenizer.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace loci {

// What a model's tokenizer file may switch off.
struct BertTextRules {
  bool clean_text = true;        // drop control characters
  bool space_around_han = true;  // each Han character is a word of its own
  bool strip_accents = true;
  bool lowercase = true;
};

// Walks over a text word by word, so that a caller who has enough stops early. One instance per thread.
class BertWords {
 public:
  // A longer word is unknown to every model; its characters are skipped, not kept.
  static constexpr std::size_t kMaxWordCharacters = 100;

  // The text must be valid UTF-8 and outlive the walk.
  BertWords(std::string_view text, BertTextRules rules) : text_(text), rules_(rules) {}

  // False at the end. Otherwise word() is the next word.
  bool next();

  // UTF-8, valid until the next call; cut when is_too_long().
  std::string_view word() const { return word_; }
  bool is_too_long() const { return characters_.size() > kMaxWordCharacters; }

 private:
  bool read_character();
  void push_decomposed(char32_t code_point);
  void add_to_word(char32_t code_point);
  void finish_word();

  std::string_view text_;
  BertTextRules rules_;
  std::size_t at_ = 0;
  std::u32string pending_;  // what the last character became and no word has taken yet, from pending_at_ on
  std::size_t pending_at_ = 0;
  std::u32string characters_;  // of the current word
  std::string word_;
};

}  // namespace loci
