#include "mcp/wire_arguments.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

namespace loci::mcp {
namespace {

constexpr std::string_view kSilentlyAccepted = "wait_for_previous";
constexpr double kLargestExact = 9007199254740992.0;  // every integer up to here is a double

std::string_view type_name(WireType type) {
  switch (type) {
    case WireType::text: return "string";
    case WireType::integer: return "integer";
    case WireType::number: return "number";
    case WireType::boolean: return "boolean";
    case WireType::texts: return "array";
    case WireType::object: return "object";
  }
  return "string";
}

std::optional<double> to_number(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

// Nothing when the value cannot be of that type.
std::optional<Json> coerce(const Json& value, WireType type) {
  switch (type) {
    case WireType::text: return value.is_string() ? std::optional(value) : std::nullopt;
    case WireType::boolean: return value.is_boolean() ? std::optional(value) : std::nullopt;
    case WireType::object: return value.is_object() ? std::optional(value) : std::nullopt;
    case WireType::texts: {
      const bool is_list = value.is_array() &&
                           std::all_of(value.begin(), value.end(), [](const Json& item) { return item.is_string(); });
      return is_list ? std::optional(value) : std::nullopt;
    }
    case WireType::integer:
    case WireType::number: {
      const std::optional<double> number = to_number(value);
      if (!number || !std::isfinite(*number) || std::abs(*number) > kLargestExact) return std::nullopt;
      if (type == WireType::number) return Json(*number);
      return Json(static_cast<std::int64_t>(*number));
    }
  }
  return std::nullopt;
}

}  // namespace

Json wire_schema(std::span<const WireParameter> parameters) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const WireParameter& parameter : parameters) {
    Json schema = {{"type", type_name(parameter.type)}};
    if (parameter.type == WireType::texts) schema["items"] = {{"type", "string"}};
    properties[std::string(parameter.name)] = std::move(schema);
    if (parameter.need == WireNeed::required) required.push_back(parameter.name);
  }
  Json schema = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

Reply check_arguments(std::string_view tool, std::span<const WireParameter> parameters, const Json& arguments) {
  const auto refuse = [&](std::string_view what, std::string_view name, std::string_view end) -> Reply {
    return RpcError{kInvalidParams, std::string(what) + " '" + std::string(name) + "'" + std::string(end)};
  };
  const std::string for_tool = " for tool " + std::string(tool);
  Json checked = Json::object();
  for (const auto& item : arguments.items()) {
    const std::string& name = item.key();
    const Json& value = item.value();
    if (name == kSilentlyAccepted) continue;
    const auto known = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const WireParameter& parameter) { return parameter.name == name; });
    if (known == parameters.end()) return refuse("Unknown parameter", name, for_tool);
    const bool is_nothing = value.is_null() || (value.is_string() && value.get_ref<const std::string&>().empty());
    if (is_nothing) continue;
    std::optional<Json> coerced = coerce(value, known->type);
    if (!coerced) return refuse("Invalid value for parameter", name, "");
    checked[name] = std::move(*coerced);
  }
  for (const WireParameter& parameter : parameters) {
    if (parameter.need == WireNeed::required && !checked.contains(parameter.name)) {
      return refuse("Missing required parameter", parameter.name, for_tool);
    }
  }
  return checked;
}

}  // namespace loci::mcp
