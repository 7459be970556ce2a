#include "search/budget.h"

#include "base/count_characters.h"

namespace loci {

bool Budget::take(std::string_view text) {
  const TextSize size = size_of(text);
  if (size.characters > left_.characters || size.tokens > left_.tokens) return false;
  left_.characters -= size.characters;
  left_.tokens -= size.tokens;
  return true;
}

TextSize size_of(std::string_view text) {
  return {.characters = count_characters(text), .tokens = estimate_tokens(text)};
}

std::size_t estimate_tokens(std::string_view text) {
  constexpr std::size_t kBytesPerToken = 4;
  return (text.size() + kBytesPerToken - 1) / kBytesPerToken;
}

}  // namespace loci
