#include "api/request.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "api/long_integer.h"
#include "api/suggestion.h"
#include "base/utf8.h"
#include "store/contract.h"

namespace loci {
namespace {

Error refuse(std::string_view field, std::string_view why) {
  return {ErrorKind::invalid_argument, std::string(field) + " " + std::string(why)};
}

std::string list_choices(std::span<const std::string_view> choices) {
  std::string list;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) list += i + 1 == choices.size() ? " or " : ", ";
    list += choices[i];
  }
  return list;
}

Status check_text(std::string_view name, const std::string& text) {
  if (!is_valid_utf8(text)) return refuse(name, "is not valid UTF-8; convert it first, such as with iconv");
  if (text.find('\0') != std::string::npos)
    return refuse(name, "has a NUL byte in it; Loci stores text, not binary data");
  return ok_status();
}

// What stands inside an object, under the key; an operator of a filter is no key. Strings may come from escapes such as
// \u0000.
Status check_within(std::string_view name, std::string_view under, const Json& value) {
  if (value.is_string()) return check_text(name, value.get_ref<const std::string&>());
  if (const auto digits = digits_of_long_integer(value))
    return refuse(name, "does not take what is under " + in_quotes(under) + ": " + no_64_bits(*digits));
  if (value.is_object()) {
    for (const auto& [key, child] : value.items()) {
      TRY(check_text(name, key));
      const bool is_operator = key.starts_with('$') && !under.empty();
      TRY(check_within(name, is_operator ? under : key, child));
    }
  } else if (value.is_array()) {
    for (const Json& child : value) TRY(check_within(name, under, child));
  }
  return ok_status();
}

Status check_choice(const Field& field, const std::string& text) {
  if (field.choices.empty() || std::find(field.choices.begin(), field.choices.end(), text) != field.choices.end()) {
    return ok_status();
  }
  return refuse(field.name, "is " + in_quotes(text) + "; it must be " + list_choices(field.choices));
}

Status check_range(const Field& field, std::int64_t value) {
  if (field.minimum && value < *field.minimum) {
    return refuse(field.name, "is " + std::to_string(value) + "; the least is " + std::to_string(*field.minimum));
  }
  if (field.maximum && value > *field.maximum) {
    return refuse(field.name, "is " + std::to_string(value) + "; the most is " + std::to_string(*field.maximum));
  }
  return ok_status();
}

Status check_integer(const Field& field, const Json& value) {
  const bool fits =
      value.is_number_integer() &&
      !(value.is_number_unsigned() &&
        value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
  if (!fits) return refuse(field.name, "must be a whole number");
  return check_range(field, value.get<std::int64_t>());
}

Status check_text_list(const Field& field, const Json& value) {
  if (!value.is_array()) return refuse(field.name, "must be a list of texts");
  if (field.is_required && value.empty()) return refuse(field.name, "is empty; give at least one");
  for (const Json& item : value) {
    if (!item.is_string()) return refuse(field.name, "must be a list of texts");
    TRY(check_text(field.name, item.get_ref<const std::string&>()));
  }
  return ok_status();
}

Status check_value(const Field& field, const Json& value) {
  if (const auto digits = digits_of_long_integer(value))
    return refuse(field.name, "is too large: " + no_64_bits(*digits));
  switch (field.type) {
    case FieldType::text:
    case FieldType::path: {
      if (!value.is_string()) return refuse(field.name, "must be a text");
      const auto& text = value.get_ref<const std::string&>();
      TRY(check_text(field.name, text));
      if (field.type == FieldType::path && text.empty()) return refuse(field.name, "is empty; give a path");
      return check_choice(field, text);
    }
    case FieldType::integer: return check_integer(field, value);
    case FieldType::number: return value.is_number() ? ok_status() : Status(refuse(field.name, "must be a number"));
    case FieldType::boolean:
      return value.is_boolean() ? ok_status() : Status(refuse(field.name, "must be true or false"));
    case FieldType::text_list: return check_text_list(field, value);
    case FieldType::object:
      if (!value.is_object()) return refuse(field.name, "must be a JSON object, such as {\"wing\": \"work\"}");
      return check_within(field.name, {}, value);
  }
  return ok_status();
}

Error unknown_field(const Operation& operation, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Field& field : operation.fields) names.push_back(field.name);
  return {ErrorKind::invalid_argument,
          std::string(operation.name) + " has no field " + in_quotes(name) + did_you_mean(name, names)};
}

}  // namespace

Result<Json> with_defaults(const Operation& operation, Json fields) {
  if (!fields.is_object()) return Error{ErrorKind::invalid_argument, "the request must be a JSON object"};
  Json checked = Json::object();
  for (const auto& [name, value] : fields.items()) {
    const Field* field = find_field(operation, name);
    if (field == nullptr) return unknown_field(operation, name);
    if (value.is_null()) continue;
    TRY(check_value(*field, value));
    checked[name] = std::move(value);
  }
  for (const Field& field : operation.fields) {
    if (checked.contains(field.name)) continue;
    if (field.is_required) return refuse(field.name, "is missing: " + std::string(field.help));
    if (!field.default_value.empty()) checked[std::string(field.name)] = Json::parse(field.default_value);
  }
  return checked;
}

Result<Request> Request::make(const Operation& operation, Json fields) {
  return Request(TRY(with_defaults(operation, std::move(fields))));
}

const Json* Request::find(std::string_view name) const {
  const auto found = fields_.find(name);
  return found == fields_.end() ? nullptr : &*found;
}

std::optional<std::string> Request::text(std::string_view name) const {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  return value->get<std::string>();
}

std::string Request::required_text(std::string_view name) const {
  const Json* value = find(name);
  assert(value != nullptr);
  return value->get<std::string>();
}

std::optional<std::int64_t> Request::integer(std::string_view name) const {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  return value->get<std::int64_t>();
}

std::int64_t Request::required_integer(std::string_view name) const {
  const Json* value = find(name);
  assert(value != nullptr);
  return value->get<std::int64_t>();
}

std::optional<double> Request::number(std::string_view name) const {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  return value->get<double>();
}

bool Request::flag(std::string_view name) const {
  const Json* value = find(name);
  return value != nullptr && value->get<bool>();
}

std::vector<std::string> Request::texts(std::string_view name) const {
  const Json* value = find(name);
  if (value == nullptr) return {};
  return value->get<std::vector<std::string>>();
}

const Json* Request::object(std::string_view name) const { return find(name); }

}  // namespace loci
