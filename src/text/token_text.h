// For tests: the tokens of a text on one line. Positions are separated by spaces, tokens of one position by bars:
// "grunting C++" is "grunt c|c++".
#pragma once

#include <string>
#include <string_view>

#include "text/tokenizer.h"

namespace loci {

inline std::string token_text(std::string_view text, TokenizeFor purpose = TokenizeFor::document) {
  std::string line;
  Tokenizer tokenizer;
  tokenizer.tokenize(text, purpose, [&line](const Token& token) {
    if (!line.empty()) line.push_back(token.colocated ? '|' : ' ');
    line.append(token.text);
    return 0;
  });
  return line;
}

}  // namespace loci
