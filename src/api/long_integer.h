// Integers in JSON that are longer than any that Loci keeps.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/json.h"

namespace loci {

// What parse_json() makes of an integer of more than 64 bits. A real would be another number, so it is `binary`, which
// no JSON text has: no field takes it, and it still has its digits.
Json long_integer(std::string_view digits);

// The digits of one; nothing of any other value.
std::optional<std::string> digits_of_long_integer(const Json& value);

// "the number 99999999999999999999 does not fit into 64 bits".
std::string no_64_bits(std::string_view integer);

}  // namespace loci
