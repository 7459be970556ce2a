#include "text/tokenizer.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "text/char_class.h"
#include "text/fold.h"
#include "text/identifier.h"
#include "text/stemmer.h"

namespace loci {
namespace {

constexpr std::size_t kMaxPlainWordBytes = 64;
constexpr std::size_t kMaxStemmedBytes = 20;  // "internationalization"; longer ones are identifiers

// What a byte means to the loop that finds plain English words, which most text consists of.
enum ByteKind : std::uint8_t { is_lower = 1, is_upper = 2, is_digit = 4, may_go_on = 8 };

constexpr std::array<std::uint8_t, 256> make_byte_kinds() {
  std::array<std::uint8_t, 256> kinds{};
  for (std::size_t byte = 0; byte < 128; ++byte) {
    if (kAsciiClasses[byte] == CharClass::lower) kinds[byte] = is_lower;
    if (kAsciiClasses[byte] == CharClass::upper) kinds[byte] = is_upper;
    if (kAsciiClasses[byte] == CharClass::digit) kinds[byte] = is_digit;
  }
  for (const char sign : std::string_view("_-./\\@:'+#")) kinds[static_cast<unsigned char>(sign)] = may_go_on;
  for (std::size_t byte = 128; byte < 256; ++byte) kinds[byte] = may_go_on;
  return kinds;
}
constexpr std::array<std::uint8_t, 256> kByteKinds = make_byte_kinds();

bool is_all_small_letters(std::string_view word) {
  for (const char letter : word) {
    if (letter < 'a' || letter > 'z') return false;
  }
  return true;
}

// Three letters are enough for "ids" and "ads".
bool is_worth_stemming(std::string_view word) {
  return (word.size() >= 4 || (word.size() == 3 && word.back() == 's')) && word.size() <= kMaxStemmedBytes;
}

std::string_view cut(std::string_view word) {
  return word.size() <= kMaxTokenBytes ? word : word.substr(0, floor_char_boundary(word, kMaxTokenBytes));
}

struct Place {
  std::size_t start;
  std::size_t end;
};

}  // namespace

// Every method that emits returns the first result of `emit_` that is not 0, or 0.
class Tokenizer::Workspace {
 public:
  int tokenize(std::string_view text, TokenizeFor purpose, FunctionRef<int(const Token&)> emit);

 private:
  using Emit = FunctionRef<int(const Token&)>;
  enum class Position { next, next_of_same, same };

  static int emit_token(std::string_view word, TokenKind kind, Place place, Position position, Emit emit) {
    return emit(Token{.text = word,
                      .start = place.start,
                      .end = place.end,
                      .colocated = position == Position::same,
                      .kind = kind,
                      .continues = position != Position::next});
  }

  static int emit_index_words(std::string_view text, Emit emit);
  int emit_word(std::string_view word, TokenKind kind, Place place, Position position, Emit emit);
  int emit_identifier(std::string_view text, std::size_t& at, Emit emit);
  int emit_joined(std::size_t first_part, std::size_t end_part, Emit emit);
  int emit_plain_or_identifier(std::string_view text, std::size_t& at, Emit emit);
  int emit_unspaced(std::string_view text, std::size_t& at, TokenizeFor purpose, Emit emit);
  int emit_emoji(std::string_view text, std::size_t& at, Emit emit);

  std::string_view folded_part(std::size_t part) const {
    const Place place = folded_places_[part];
    return std::string_view(folded_).substr(place.start, place.end - place.start);
  }

  Folder folder_;
  Stemmer stemmer_;
  Identifier identifier_;
  std::string folded_;                // the parts of the identifier, folded, one after the other
  std::vector<Place> folded_places_;  // where in folded_ each part is
  std::string joined_;
  std::string pair_;
  std::array<char, kMaxPlainWordBytes> plain_word_;
};

int Tokenizer::Workspace::tokenize(std::string_view text, TokenizeFor purpose, Emit emit) {
  if (purpose == TokenizeFor::query && text.starts_with(kIndexWordsMark)) return emit_index_words(text, emit);
  std::size_t at = 0;
  while (at < text.size()) {
    int result = 0;
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80) {
      if (kAsciiClasses[byte] == CharClass::separator) {
        ++at;
        continue;
      }
      result = emit_plain_or_identifier(text, at, emit);
    } else {
      const CodePoint character = decode_utf8(text, at);
      const CharClass char_class = classify(character.value);
      if (begins_word(char_class)) {
        result = emit_identifier(text, at, emit);
      } else if (char_class == CharClass::unspaced) {
        result = emit_unspaced(text, at, purpose, emit);
      } else if (char_class == CharClass::emoji || char_class == CharClass::flag) {
        result = emit_emoji(text, at, emit);
      } else {
        at += character.length;
      }
    }
    if (result != 0) return result;
  }
  return 0;
}

int Tokenizer::Workspace::emit_index_words(std::string_view text, Emit emit) {
  for (std::size_t start = 1; start < text.size();) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    if (end > start) {
      const std::string_view word = text.substr(start, end - start);
      if (const int result = emit_token(word, TokenKind::word, {start, end}, Position::next, emit); result != 0) {
        return result;
      }
    }
    start = end + 1;
  }
  return 0;
}

int Tokenizer::Workspace::emit_word(std::string_view word, TokenKind kind, Place place, Position position, Emit emit) {
  if (is_worth_stemming(word) && is_all_small_letters(word)) word = stemmer_.stem(word);
  return emit_token(cut(word), kind, place, position, emit);
}

int Tokenizer::Workspace::emit_plain_or_identifier(std::string_view text, std::size_t& at, Emit emit) {
  unsigned kinds = 0;
  unsigned uppers = 0;
  std::size_t size = 0;
  std::uint8_t kind = 0;
  for (; at + size < text.size() && size < kMaxPlainWordBytes; ++size) {
    const auto byte = static_cast<unsigned char>(text[at + size]);
    kind = kByteKinds[byte];
    if ((kind & (is_lower | is_upper | is_digit)) == 0) break;
    kinds |= kind;
    uppers += kind == is_upper ? 1U : 0U;
    plain_word_[size] = static_cast<char>(kind == is_upper ? byte | 0x20U : byte);
  }
  const bool has_one_part =
      kinds == is_lower || kinds == is_upper || kinds == is_digit ||
      (kinds == (is_lower | is_upper) && uppers == 1 && kByteKinds[static_cast<unsigned char>(text[at])] == is_upper);
  const std::size_t end = at + size;
  const bool ends_here =
      size < kMaxPlainWordBytes && (end == text.size() || kind != may_go_on ||
                                    (static_cast<unsigned char>(text[end]) < 0x80 && !identifier_goes_on(text, end)));
  if (!has_one_part || !ends_here) return emit_identifier(text, at, emit);

  const Place place{at, end};
  at = end;
  std::string_view word(plain_word_.data(), size);
  if (kinds != is_digit && is_worth_stemming(word)) word = stemmer_.stem(word);
  return emit_token(word, TokenKind::word, place, Position::next, emit);
}

int Tokenizer::Workspace::emit_identifier(std::string_view text, std::size_t& at, Emit emit) {
  read_identifier(text, at, identifier_);
  at = identifier_.end;
  std::vector<IdentifierPart>& parts = identifier_.parts;
  folded_.clear();
  folded_places_.clear();
  for (const IdentifierPart& part : parts) {
    const std::size_t start = folded_.size();
    folder_.append_folded(text.substr(part.start, part.end - part.start), folded_);
    folded_places_.push_back({start, folded_.size()});
  }

  Position position = Position::next;
  for (std::size_t index = 0; index < parts.size(); ++index) {
    const std::string_view word = folded_part(index);
    if (word.empty()) continue;  // nothing but marks that folding drops
    const Place place{parts[index].start, parts[index].end};
    if (const int result = emit_word(word, TokenKind::word, place, position, emit); result != 0) return result;
    position = Position::next_of_same;

    if (!parts[index].begins_word) continue;
    std::size_t word_end = index + 1;
    while (word_end < parts.size() && !parts[word_end].begins_word) ++word_end;
    if (word_end - index > 1 && word_end - index < parts.size()) {
      if (const int result = emit_joined(index, word_end, emit); result != 0) return result;
    }
    if (index == 0 && (parts.size() > 1 || !identifier_.suffix.empty())) {
      if (const int result = emit_joined(0, parts.size(), emit); result != 0) return result;
    }
  }
  return 0;
}

int Tokenizer::Workspace::emit_joined(std::size_t first_part, std::size_t end_part, Emit emit) {
  const auto is_ascii_digit = [](char character) { return character >= '0' && character <= '9'; };
  joined_.clear();
  for (std::size_t index = first_part; index < end_part; ++index) {
    const std::string_view word = folded_part(index);
    // 1.2 and 12 are not the same, unlike e-mail and email.
    const char sign = identifier_.parts[index].sign;
    if (sign != '\0' && !joined_.empty() && !word.empty() && is_ascii_digit(joined_.back()) &&
        is_ascii_digit(word.front())) {
      joined_.push_back(sign);
    }
    joined_.append(word);
    if (joined_.size() > kMaxTokenBytes) return 0;
  }
  const bool has_suffix = end_part - first_part == identifier_.parts.size() && !identifier_.suffix.empty();
  if (has_suffix) joined_.append(identifier_.suffix);
  const Place place{identifier_.parts[first_part].start,
                    identifier_.parts[end_part - 1].end + (has_suffix ? identifier_.suffix.size() : 0)};
  return emit_word(joined_, TokenKind::joined, place, Position::same, emit);
}

int Tokenizer::Workspace::emit_unspaced(std::string_view text, std::size_t& at, TokenizeFor purpose, Emit emit) {
  // pair_ holds the character before and, once it is read, the current one.
  pair_.clear();
  Place previous{at, at};
  std::size_t count = 0;
  Position position = Position::next;
  while (at < text.size()) {
    CodePoint character = decode_utf8(text, at);
    if (classify(character.value) != CharClass::unspaced) break;
    const std::size_t start = at;
    do {
      at += character.length;
      const CodePoint next = decode_utf8(text, at);
      if (next.length == 0 || !extends_character(character.value, next.value)) break;
      character = next;
    } while (true);

    const std::size_t previous_size = pair_.size();
    folder_.append_folded(text.substr(start, at - start), pair_);
    if (pair_.size() == previous_size) continue;
    if (count > 0) {
      const Place place{previous.start, at};
      if (const int result = emit_token(cut(pair_), TokenKind::pair, place, position, emit); result != 0) return result;
      position = Position::next_of_same;
      pair_.erase(0, previous_size);
    }
    ++count;
    previous = {start, at};
  }
  if (count == 0 || (count > 1 && purpose == TokenizeFor::query)) return 0;
  return emit_token(cut(pair_), TokenKind::last_character, previous, count > 1 ? Position::same : Position::next, emit);
}

int Tokenizer::Workspace::emit_emoji(std::string_view text, std::size_t& at, Emit emit) {
  constexpr char32_t kZeroWidthJoiner = 0x200D;
  Position position = Position::next;
  for (;;) {
    CodePoint character = decode_utf8(text, at);
    const CharClass char_class = classify(character.value);
    if (char_class != CharClass::emoji && char_class != CharClass::flag) return 0;
    const std::size_t start = at;
    at += character.length;
    if (char_class == CharClass::flag) {
      const CodePoint second = decode_utf8(text, at);
      if (second.length != 0 && classify(second.value) == CharClass::flag) at += second.length;
    }
    const std::string_view symbol = text.substr(start, at - start);
    if (const int result = emit_token(symbol, TokenKind::emoji, {start, at}, position, emit); result != 0)
      return result;

    // Skin tones and the marks that ask for colour say nothing; a joiner says that the next one belongs to it.
    bool is_joined = false;
    for (character = decode_utf8(text, at); character.length != 0; character = decode_utf8(text, at)) {
      const CharClass next_class = classify(character.value);
      if (next_class != CharClass::mark && next_class != CharClass::ignorable) break;
      is_joined = character.value == kZeroWidthJoiner;
      at += character.length;
    }
    if (!is_joined) return 0;
    position = Position::next_of_same;
  }
}

Tokenizer::Tokenizer() : workspace_(std::make_unique<Workspace>()) {}
Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

int Tokenizer::tokenize(std::string_view text, TokenizeFor purpose, FunctionRef<int(const Token&)> emit) {
  return workspace_->tokenize(text, purpose, emit);
}

}  // namespace loci
