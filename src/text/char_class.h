// What a character is to the tokenizer.
#pragma once

#include <array>
#include <cstdint>

namespace loci {

enum class CharClass : std::uint8_t {
  separator,  // anything that is part of no word: spaces, punctuation, control characters, unassigned ones
  lower,
  upper,
  caseless,  // a letter of a script without upper and lower case
  digit,
  mark,       // combining: belongs to the character before it
  ignorable,  // not seen: soft hyphen, joiners, marks of direction
  unspaced,   // a character of a script that writes words without spaces between them
  emoji,
  flag,  // a regional indicator; two of them are one flag
};

CharClass classify_beyond_ascii(char32_t code_point);

constexpr std::array<CharClass, 128> make_ascii_classes() {
  std::array<CharClass, 128> classes{};
  for (std::size_t letter = 'a'; letter <= 'z'; ++letter) classes[letter] = CharClass::lower;
  for (std::size_t letter = 'A'; letter <= 'Z'; ++letter) classes[letter] = CharClass::upper;
  for (std::size_t digit = '0'; digit <= '9'; ++digit) classes[digit] = CharClass::digit;
  return classes;
}
inline constexpr std::array<CharClass, 128> kAsciiClasses = make_ascii_classes();

inline CharClass classify(char32_t code_point) {
  return code_point < 128 ? kAsciiClasses[code_point] : classify_beyond_ascii(code_point);
}

// True for the characters that words with spaces between them are made of.
constexpr bool begins_word(CharClass char_class) {
  return char_class >= CharClass::lower && char_class <= CharClass::digit;
}

// True for white space of any script and for control characters: what stands between words and shows nothing.
bool is_space(char32_t code_point);

// True when `next` is no character of its own but goes with the one before it.
bool extends_character(char32_t previous, char32_t next);

}  // namespace loci
