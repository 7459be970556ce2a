// Reads one identifier of a text and finds its parts: parse_http_header and parseHttpHeader have the parts parse, http
// and header; an ordinary word is an identifier of one part.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace loci {

struct IdentifierPart {
  std::size_t start;  // bytes of the text
  std::size_t end;
  bool begins_word;  // false where only a change of case, or from letters to digits, separates it from the part before
  char sign;  // what separates it from the part before, if that is a sign: '_', '-', '.', '/', '\\', '@', ':', '\''
};

struct Identifier {
  std::vector<IdentifierPart> parts;
  std::string_view suffix;  // "++" or "#", as in C++ and C#
  std::size_t end = 0;      // where the text goes on
};

// A longer one is read as several, so that no input makes the parts grow without bound.
inline constexpr std::size_t kMaxIdentifierParts = 32;

// Reads the identifier that begins at byte `at`, where begins_word() must hold. Replaces the content of `identifier`.
void read_identifier(std::string_view text, std::size_t at, Identifier& identifier);

// True when a word that ends at byte `at` goes on there: with a sign and another part, or with a suffix.
bool identifier_goes_on(std::string_view text, std::size_t at);

}  // namespace loci
