#include "api/record_json.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "api/long_integer.h"
#include "palace/place.h"
#include "store/contract.h"

namespace loci {
namespace {

constexpr std::size_t kDrawerMembers = 20;  // with those that a search adds

bool fits_int64(const Json& value) {
  return value.is_number_integer() &&
         (!value.is_number_unsigned() ||
          value.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
}

template <typename Predicate>
bool all_are(const Json& list, Predicate predicate) {
  return std::all_of(list.begin(), list.end(), predicate);
}

std::optional<MetadataValue> list_value(const Json& list) {
  if (all_are(list, [](const Json& item) { return item.is_string(); })) return list.get<std::vector<std::string>>();
  if (all_are(list, [](const Json& item) { return item.is_boolean(); })) return list.get<std::vector<bool>>();
  if (all_are(list, fits_int64)) return list.get<std::vector<std::int64_t>>();
  if (all_are(list, [](const Json& item) { return item.is_number(); })) return list.get<std::vector<double>>();
  return std::nullopt;
}

// Metadata have signed integers only.
const Json* find_long_integer_in(const Json& value) {
  if (value.is_number_integer()) return fits_int64(value) ? nullptr : &value;
  if (!value.is_array()) return nullptr;
  const auto found =
      std::find_if(value.begin(), value.end(), [](const Json& item) { return find_long_integer_in(item) != nullptr; });
  return found == value.end() ? nullptr : find_long_integer_in(*found);
}

std::optional<MetadataValue> value_from_json(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>();
  if (fits_int64(value)) return value.get<std::int64_t>();
  if (value.is_number_float()) return value.get<double>();
  if (value.is_array()) return list_value(value);
  return std::nullopt;
}

Json text_or_null(const Metadata& metadata, std::string_view key) {
  std::optional<std::string> text = string_value(metadata, key);
  return text ? Json(std::move(*text)) : Json(nullptr);
}

}  // namespace

Json to_json(const Metadata& metadata) {
  Json object = Json::object();
  for (const auto& [key, value] : metadata) {
    object[key] = std::visit([](const auto& typed) { return Json(typed); }, value);
  }
  return object;
}

Result<Metadata> metadata_from_json(const Json& object) {
  Metadata metadata;
  for (const auto& [key, value] : object.items()) {
    if (const Json* integer = find_long_integer_in(value)) {
      return Error{ErrorKind::invalid_argument,
                   "the metadata under " + in_quotes(key) + ": " + no_64_bits(integer->dump())};
    }
    std::optional<MetadataValue> typed = value_from_json(value);
    if (!typed) {
      return Error{ErrorKind::invalid_argument, "the metadata under " + in_quotes(key) +
                                                    " must be a text, a number, a boolean, or a list of one of these"};
    }
    metadata.emplace(key, std::move(*typed));
  }
  return metadata;
}

Json drawer_to_json(const Record& record, DrawerParts parts) {
  Json drawer = object_with_room(kDrawerMembers);
  drawer["id"] = record.id;
  drawer["wing"] = text_or_null(record.metadata, kWingKey);
  drawer["room"] = text_or_null(record.metadata, kRoomKey);
  drawer["source"] = text_or_null(record.metadata, kSourceKey);
  drawer["filed_at"] = text_or_null(record.metadata, kFiledAtKey);
  drawer["document"] = record.document;
  if (parts == DrawerParts::all) drawer["metadata"] = to_json(record.metadata);
  if (record.details && record.details->key) drawer["content_hash"] = record.details->key->content_hash;
  return drawer;
}

}  // namespace loci
