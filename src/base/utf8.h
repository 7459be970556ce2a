// UTF-8 as the rest of Loci needs it: checking, reading and writing one code point, cutting at a safe place.
// Pure functions; any thread may call them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace loci {

inline constexpr char32_t kReplacementCharacter = 0xFFFD;

// True when the text is well-formed UTF-8 in the strict sense of the Unicode standard: no overlong forms,
// no surrogates, nothing above U+10FFFF, no truncated sequence at the end.
bool is_valid_utf8(std::string_view text);

struct CodePoint {
  char32_t value;
  std::size_t length;  // bytes it takes in the text; 0 only at the end of the text
};

// The code point that begins at byte `at`. A byte that begins no well-formed sequence yields U+FFFD with
// length 1, so that a loop over any bytes always ends. At or past the end: {0, 0}.
CodePoint decode_utf8(std::string_view text, std::size_t at);

// Appends the code point; a surrogate or a value above U+10FFFF is written as U+FFFD.
void append_utf8(std::string& out, char32_t code_point);

// The greatest position <= at where a cut does not split a character; `at` itself when it is no inside of one.
// Positions past the end give the end. In malformed text it moves back over at most three continuation bytes.
std::size_t floor_char_boundary(std::string_view text, std::size_t at);

// The text with each byte that belongs to no well-formed sequence replaced by U+FFFD: for messages that name a file
// whose name is not UTF-8.
std::string to_valid_utf8(std::string_view text);

}  // namespace loci
