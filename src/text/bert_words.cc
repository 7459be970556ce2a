#include "text/bert_words.h"

#include <algorithm>
#include <array>

#include <utf8proc.h>

#include "base/utf8.h"
#include "text/bert_category.h"

namespace loci {
namespace {

// The property White_Space of Unicode.
bool is_whitespace(char32_t c) {
  return c == ' ' || (c >= 0x09 && c <= 0x0D) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_dropped(char32_t c) {
  if (c == '\t' || c == '\n' || c == '\r') return false;
  if (c < 0x80) return c < 0x20 || c == 0x7F;
  if (c == kReplacementCharacter) return true;
  return bert_category(c) == BertCategory::dropped;
}

// The blocks that the models were trained with; newer extensions are not among them.
bool is_han(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x20000 && c <= 0x2A6DF) ||
         (c >= 0x2A700 && c <= 0x2B73F) || (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

bool is_punctuation(char32_t c) {
  if (c < 0x80) {
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
  }
  return bert_category(c) == BertCategory::punctuation;
}

utf8proc_propval_t combining_class(char32_t c) {
  return utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->combining_class;
}

// Canonical order: marks that follow a character are sorted by class. Few words have more than one mark left.
void sort_marks(std::u32string& characters) {
  for (std::size_t i = 1; i < characters.size(); ++i) {
    const char32_t c = characters[i];
    const auto rank = c < 0x300 ? 0 : combining_class(c);
    if (rank == 0) continue;
    std::size_t to = i;
    for (; to > 0 && combining_class(characters[to - 1]) > rank; --to) characters[to] = characters[to - 1];
    characters[to] = c;
  }
}

}  // namespace

bool BertWords::next() {
  characters_.clear();
  for (;;) {
    if (pending_at_ == pending_.size() && !read_character()) break;
    const char32_t c = pending_[pending_at_];
    if (is_whitespace(c)) {
      ++pending_at_;
      if (!characters_.empty()) break;
    } else if (is_punctuation(c)) {
      if (!characters_.empty()) break;  // it stays pending: a word of its own
      ++pending_at_;
      add_to_word(c);
      break;
    } else {
      ++pending_at_;
      add_to_word(c);
    }
  }
  finish_word();
  return !characters_.empty();
}

// Fills pending_ with what the next character becomes. False at the end of the text.
bool BertWords::read_character() {
  pending_.clear();
  pending_at_ = 0;
  while (at_ < text_.size() && pending_.empty()) {
    const CodePoint character = decode_utf8(text_, at_);
    at_ += character.length;
    const char32_t c = character.value;
    if (rules_.clean_text && is_dropped(c)) continue;
    if (c < 0x80) {
      pending_.push_back(rules_.lowercase && c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    } else if (is_whitespace(c)) {
      pending_.push_back(' ');
    } else if (rules_.space_around_han && is_han(c)) {
      pending_.push_back(' ');
      push_decomposed(c);
      pending_.push_back(' ');
    } else {
      push_decomposed(c);
    }
  }
  return !pending_.empty();
}

void BertWords::push_decomposed(char32_t code_point) {
  constexpr std::size_t kLongestDecomposition = 32;  // of canonical ones it is 4
  std::array<utf8proc_int32_t, kLongestDecomposition> parts = {static_cast<utf8proc_int32_t>(code_point)};
  utf8proc_ssize_t count = 1;
  if (rules_.strip_accents) {
    int boundary = 0;
    count = utf8proc_decompose_char(parts[0], parts.data(), kLongestDecomposition, UTF8PROC_DECOMPOSE, &boundary);
  }
  for (utf8proc_ssize_t i = 0; i < count; ++i) {
    const utf8proc_int32_t part = parts[static_cast<std::size_t>(i)];
    if (rules_.strip_accents && bert_category(static_cast<char32_t>(part)) == BertCategory::mark) continue;
    pending_.push_back(static_cast<char32_t>(rules_.lowercase ? utf8proc_tolower(part) : part));
    // The one letter whose lower case is two characters.
    if (rules_.lowercase && part == 0x130) pending_.push_back(0x307);
  }
}

void BertWords::add_to_word(char32_t code_point) {
  if (characters_.size() <= kMaxWordCharacters) characters_.push_back(code_point);
}

void BertWords::finish_word() {
  if (rules_.strip_accents) sort_marks(characters_);
  word_.clear();
  for (const char32_t c : characters_) append_utf8(word_, c);
}

}  // namespace loci
