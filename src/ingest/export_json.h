// Reading JSON exports of conversations without trusting them: what is missing or of another type is empty.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace loci {

// The string under the name; empty when there is none.
inline std::string text_in(const nlohmann::json& object, std::string_view name) {
  if (!object.is_object()) return {};
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// The value under the name; null when there is none.
inline const nlohmann::json& value_in(const nlohmann::json& object, std::string_view name) {
  static const nlohmann::json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(name);
  return found == object.end() ? kNull : *found;
}

// The document, or a discarded value (is_discarded) for what is no JSON.
inline nlohmann::json parse_export(std::string_view text) { return nlohmann::json::parse(text, nullptr, false); }

}  // namespace loci
