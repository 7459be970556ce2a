#include "search/budget.h"

#include <algorithm>

namespace loci {

bool Budget::take(std::string_view text) {
  const std::size_t characters = count_characters(text);
  if (characters > left_) return false;
  left_ -= characters;
  return true;
}

std::size_t count_characters(std::string_view text) {
  // Every byte but those that continue a character.
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

}  // namespace loci
