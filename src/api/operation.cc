#include "api/operation.h"

#include <algorithm>

namespace loci {
namespace {

Json value_schema(const Field& field) {
  switch (field.type) {
    case FieldType::text:
    case FieldType::path: return {{"type", "string"}};
    case FieldType::integer: return {{"type", "integer"}};
    case FieldType::number: return {{"type", "number"}};
    case FieldType::boolean: return {{"type", "boolean"}};
    case FieldType::text_list: return {{"type", "array"}, {"items", {{"type", "string"}}}};
    case FieldType::object: return {{"type", "object"}};
  }
  return {};
}

Json field_schema(const Field& field) {
  Json schema = value_schema(field);
  schema["description"] = field.help;
  if (!field.choices.empty())
    schema["enum"] = Json(std::vector<std::string>(field.choices.begin(), field.choices.end()));
  if (field.minimum) schema["minimum"] = *field.minimum;
  if (field.maximum) schema["maximum"] = *field.maximum;
  // The defaults are literals of the table, and a test parses them all.
  if (!field.default_value.empty()) schema["default"] = Json::parse(field.default_value);
  return schema;
}

}  // namespace

const Field* find_field(const Operation& operation, std::string_view name) {
  const auto found = std::find_if(operation.fields.begin(), operation.fields.end(),
                                  [&](const Field& field) { return field.name == name; });
  return found == operation.fields.end() ? nullptr : &*found;
}

Json request_schema(const Operation& operation) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const Field& field : operation.fields) {
    properties[std::string(field.name)] = field_schema(field);
    if (field.is_required) required.push_back(field.name);
  }
  Json schema = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  schema["additionalProperties"] = false;
  return schema;
}

}  // namespace loci
