#include "api/long_integer.h"

#include <cstddef>

namespace loci {

Json long_integer(std::string_view digits) { return Json::binary({digits.begin(), digits.end()}); }

std::optional<std::string> digits_of_long_integer(const Json& value) {
  if (!value.is_binary()) return {};
  const Json::binary_t& digits = value.get_binary();
  return std::string(digits.begin(), digits.end());
}

std::string no_64_bits(std::string_view integer) {
  constexpr std::size_t kShownDigits = 40;
  return "the number " + std::string(integer.substr(0, kShownDigits)) + (integer.size() > kShownDigits ? "…" : "") +
         " does not fit into 64 bits";
}

}  // namespace loci
