// Integers in JSON that are longer than any that Loci keeps.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace loci {

// The first integer of more than 64 bits in a text that is JSON. parse_json() makes a real of it, as JavaScript does,
// which writes 1e20 with all its digits; who typed one, though, means an integer.
std::optional<std::string_view> find_long_integer(std::string_view json);

// "the number 99999999999999999999 does not fit into 64 bits".
std::string no_64_bits(std::string_view integer);

}  // namespace loci
