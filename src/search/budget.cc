#include "search/budget.h"

#include "base/count_characters.h"

namespace loci {

bool Budget::take(std::string_view text) {
  const std::size_t characters = count_characters(text);
  if (characters > left_) return false;
  left_ -= characters;
  return true;
}

}  // namespace loci
