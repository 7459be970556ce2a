// What the readers of data sets share.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace loci {

// An id, or the name of a category: sets write them as strings or as numbers. Empty for null.
inline std::string id_of(const nlohmann::json& value) {
  if (value.is_null()) return {};
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace loci
