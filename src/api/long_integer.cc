#include "api/long_integer.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <system_error>

namespace loci {
namespace {

bool fits_64_bits(std::string_view integer) {
  std::int64_t number = 0;
  std::uint64_t natural = 0;
  const char* const end = integer.data() + integer.size();
  return integer.front() == '-' ? std::from_chars(integer.data(), end, number).ec == std::errc{}
                                : std::from_chars(integer.data(), end, natural).ec == std::errc{};
}

}  // namespace

std::optional<std::string_view> find_long_integer(std::string_view json) {
  constexpr std::string_view kNumberBytes = "0123456789+-.eE";
  bool is_in_string = false;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '"') is_in_string = !is_in_string;
    if (is_in_string && c == '\\') ++at;
    if (is_in_string || (c != '-' && (c < '0' || c > '9'))) continue;
    const std::size_t end = std::min(json.find_first_not_of(kNumberBytes, at), json.size());
    const std::string_view number = json.substr(at, end - at);
    if (number.find_first_of(".eE") == std::string_view::npos && !fits_64_bits(number)) return number;
    at = end - 1;
  }
  return {};
}

std::string no_64_bits(std::string_view integer) {
  constexpr std::size_t kShownDigits = 40;
  return "the number " + std::string(integer.substr(0, kShownDigits)) + (integer.size() > kShownDigits ? "…" : "") +
         " does not fit into 64 bits";
}

}  // namespace loci
