// An answer that fits: whole texts, best first, within so many characters and tokens.
#pragma once

#include <cstddef>
#include <limits>
#include <string_view>

namespace loci {

struct TextSize {
  std::size_t characters = std::numeric_limits<std::size_t>::max();
  std::size_t tokens = std::numeric_limits<std::size_t>::max();
};

// What is left of a budget. For one thread.
class Budget {
 public:
  explicit Budget(TextSize most) : left_(most) {}

  // Takes the text if all of it fits; otherwise nothing is taken.
  bool take(std::string_view text);

  TextSize left() const { return left_; }

 private:
  TextSize left_;
};

TextSize size_of(std::string_view text);

// Tokens as a language model counts them: an estimate, a token for four bytes. The true count depends on the model.
std::size_t estimate_tokens(std::string_view text);

}  // namespace loci
