// Metadata: a flat map from names to typed values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace loci {

// A value is a string, an integer, a real or a boolean, or a list of one such type. Types are compared as types:
// 1 is not "1", a boolean is not a number, and integers and reals compare as numbers.
using MetadataValue = std::variant<std::string, std::int64_t, double, bool, std::vector<std::string>,
                                   std::vector<std::int64_t>, std::vector<double>, std::vector<bool>>;

// Ordered by key, so that equal maps print equally.
using Metadata = std::map<std::string, MetadataValue, std::less<>>;

}  // namespace loci
