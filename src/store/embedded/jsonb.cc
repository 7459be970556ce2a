#include "store/embedded/jsonb.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

// The format (https://sqlite.org/jsonb.html): each element is a header and a payload. The low four bits of the first
// byte are the type, the high four the payload's size if it is at most 11; 12 to 15 say that the size follows in 1, 2,
// 4 or 8 bytes, big end first. Numbers are their JSON text, strings of type 10 are raw bytes, containers hold elements.

namespace loci::embedded {
namespace {

enum Type : std::uint8_t {
  null = 0,
  is_true = 1,
  is_false = 2,
  integer = 3,
  real = 5,
  text = 7,
  text_raw = 10,
  array = 11,
  object = 12
};

struct Element {
  std::uint8_t type = null;
  JsonbView payload;
};

// Takes the first element off `rest`; nothing if it is damaged.
std::optional<Element> take(JsonbView& rest) {
  if (rest.empty()) return {};
  const std::uint8_t type = rest[0] & 0x0f;
  std::uint64_t size = rest[0] >> 4;
  std::size_t header = 1;
  if (size > 11) {
    const std::size_t size_bytes = std::size_t{1} << (size - 12);
    header += size_bytes;
    if (rest.size() < header) return {};
    size = 0;
    for (std::size_t i = 1; i <= size_bytes; ++i) size = size << 8 | rest[i];
  }
  if (size > rest.size() - header) return {};
  const Element element{type, rest.subspan(header, size)};
  rest = rest.subspan(header + size);
  return element;
}

std::string_view as_text(JsonbView payload) { return {reinterpret_cast<const char*>(payload.data()), payload.size()}; }

template <typename Number>
std::optional<Number> as_number(JsonbView payload) {
  Number number{};
  const std::string_view digits = as_text(payload);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return {};
  return number;
}

std::optional<MetadataValue> as_list(JsonbView payload);

std::optional<MetadataValue> as_value(const Element& element) {
  switch (element.type) {
    case is_true: return true;
    case is_false: return false;
    case integer:
      if (const auto number = as_number<std::int64_t>(element.payload)) return *number;
      return {};
    case real:
      if (const auto number = as_number<double>(element.payload)) return *number;
      return {};
    case text:
    case text_raw: return std::string(as_text(element.payload));
    case array: return as_list(element.payload);
    default: return {};
  }
}

template <typename T>
std::optional<MetadataValue> as_list_of(JsonbView payload) {
  std::vector<T> list;
  while (!payload.empty()) {
    const std::optional<Element> element = take(payload);
    if (!element) return {};
    std::optional<MetadataValue> value = as_value(*element);
    if (!value || !std::holds_alternative<T>(*value)) return {};
    list.push_back(std::get<T>(std::move(*value)));
  }
  return list;
}

std::optional<MetadataValue> as_list(JsonbView payload) {
  JsonbView rest = payload;
  const std::optional<Element> first = take(rest);
  if (!first) return payload.empty() ? std::optional<MetadataValue>(std::vector<std::string>{}) : std::nullopt;
  switch (first->type) {
    case integer: return as_list_of<std::int64_t>(payload);
    case real: return as_list_of<double>(payload);
    case is_true:
    case is_false: return as_list_of<bool>(payload);
    default: return as_list_of<std::string>(payload);
  }
}

void append(Jsonb& out, Type type, std::string_view payload) {
  const std::size_t size = payload.size();
  if (size <= 11) {
    out.push_back(static_cast<std::uint8_t>(size << 4 | type));
  } else {
    const int width = size <= 0xff ? 1 : size <= 0xffff ? 2 : 4;
    out.push_back(static_cast<std::uint8_t>((width == 1 ? 12 : width == 2 ? 13 : 14) << 4 | type));
    for (int shift = (width - 1) * 8; shift >= 0; shift -= 8) out.push_back(static_cast<std::uint8_t>(size >> shift));
  }
  out.insert(out.end(), payload.begin(), payload.end());
}

std::string_view bytes_of(const Jsonb& jsonb) { return as_text(jsonb); }

void append_value(Jsonb& out, const std::string& value) { append(out, text_raw, value); }
void append_value(Jsonb& out, std::int64_t value) { append(out, integer, std::to_string(value)); }
void append_value(Jsonb& out, bool value) { append(out, value ? is_true : is_false, {}); }
void append_value(Jsonb& out, double value) {
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  std::string number(digits, end);
  // JSON asks for a digit after the point, and a whole number must stay a real.
  if (number.find_first_of(".e") == std::string::npos) number += ".0";
  append(out, real, number);
}
template <typename T>
void append_value(Jsonb& out, const std::vector<T>& list) {
  Jsonb elements;
  for (const auto& element : list) append_value(elements, static_cast<const T&>(element));
  append(out, array, bytes_of(elements));
}
void append_value(Jsonb& out, const std::vector<bool>& list) {
  Jsonb elements;
  for (const bool element : list) append_value(elements, element);
  append(out, array, bytes_of(elements));
}

Jsonb as_object(const Jsonb& members) {
  Jsonb out;
  append(out, object, bytes_of(members));
  return out;
}

void append_member(Jsonb& members, const std::string& key, const MetadataValue& value) {
  append(members, text_raw, key);
  std::visit([&](const auto& typed) { append_value(members, typed); }, value);
}

// The integers that every record of a mined source has: their names would take more room than they do, so they are one
// list in this order, under the one key that metadata cannot have.
constexpr std::array<std::string_view, 5> kPositionKeys = {"chunk_index", "line_start", "line_end", "byte_start",
                                                           "byte_end"};
constexpr std::string_view kPositionList;

bool is_position(std::string_view key) {
  return std::find(kPositionKeys.begin(), kPositionKeys.end(), key) != kPositionKeys.end();
}

// Are all of them there, and the record's own?
bool has_position(const Metadata& metadata, const Metadata& shared) {
  return std::all_of(kPositionKeys.begin(), kPositionKeys.end(), [&](std::string_view key) {
    const auto found = metadata.find(key);
    return found != metadata.end() && std::holds_alternative<std::int64_t>(found->second) && !shared.contains(key);
  });
}

void append_position(Jsonb& members, const Metadata& metadata) {
  std::vector<std::int64_t> list;
  for (const std::string_view key : kPositionKeys) list.push_back(std::get<std::int64_t>(metadata.find(key)->second));
  append(members, text_raw, kPositionList);
  append_value(members, list);
}

// As for_each_member, for the list of positions. Sets `goes_on` to what the last visit returned.
template <typename Visit>
bool for_each_position(JsonbView list, Visit& visit, bool& goes_on) {
  for (const std::string_view key : kPositionKeys) {
    const std::optional<Element> value = take(list);
    if (!value || value->type != integer) return false;
    goes_on = visit(key, *value);
    if (!goes_on) return true;
  }
  return list.empty();
}

// Calls visit(key, element) for each member until it returns false; false if the object is damaged.
template <typename Visit>
bool for_each_member(JsonbView jsonb, Visit visit) {
  if (jsonb.empty()) return true;
  const std::optional<Element> root = take(jsonb);
  if (!root || root->type != object || !jsonb.empty()) return false;
  JsonbView rest = root->payload;
  while (!rest.empty()) {
    const std::optional<Element> key = take(rest);
    const std::optional<Element> value = take(rest);
    if (!key || !value || (key->type != text_raw && key->type != text)) return false;
    bool goes_on = true;
    if (as_text(key->payload) == kPositionList) {
      if (value->type != array || !for_each_position(value->payload, visit, goes_on)) return false;
    } else {
      goes_on = visit(as_text(key->payload), *value);
    }
    if (!goes_on) return true;
  }
  return true;
}

std::optional<Element> find_element(JsonbView jsonb, std::string_view wanted) {
  std::optional<Element> found;
  for_each_member(jsonb, [&](std::string_view key, const Element& element) {
    if (key == wanted) found = element;
    return !found;
  });
  return found;
}

Error damaged() { return {ErrorKind::corruption, "the metadata of a record is damaged; run `loci verify`"}; }

Status merge_into(Metadata& metadata, JsonbView jsonb) {
  bool readable = true;
  const bool whole = for_each_member(jsonb, [&](std::string_view key, const Element& element) {
    if (element.type == null) {
      if (const auto found = metadata.find(key); found != metadata.end()) metadata.erase(found);
      return true;
    }
    std::optional<MetadataValue> value = as_value(element);
    readable = value.has_value();
    if (readable) metadata.insert_or_assign(std::string(key), std::move(*value));
    return readable;
  });
  if (!whole || !readable) return damaged();
  return {};
}

}  // namespace

Jsonb encode_metadata(const Metadata& metadata) {
  Jsonb members;
  for (const auto& [key, value] : metadata) append_member(members, key, value);
  return as_object(members);
}

Result<Metadata> decode_metadata(JsonbView jsonb) { return decode_merged(jsonb, {}); }

std::optional<MetadataValue> find_value(JsonbView own, JsonbView shared, std::string_view key) {
  std::optional<Element> element = find_element(own, key);
  if (!element) element = find_element(shared, key);
  if (!element) return {};
  return as_value(*element);
}

Jsonb encode_own(const Metadata& metadata, const Metadata& shared) {
  Jsonb members;
  const bool is_placed = has_position(metadata, shared);
  if (is_placed) append_position(members, metadata);
  for (const auto& [key, value] : metadata) {
    if (is_placed && is_position(key)) continue;
    const auto found = shared.find(key);
    if (found == shared.end() || found->second != value) append_member(members, key, value);
  }
  for (const auto& [key, value] : shared) {
    if (metadata.contains(key)) continue;
    append(members, text_raw, key);
    append(members, null, {});
  }
  return as_object(members);
}

Result<Metadata> decode_merged(JsonbView own, JsonbView shared) {
  Metadata metadata;
  TRY(merge_into(metadata, shared));
  TRY(merge_into(metadata, own));
  return metadata;
}

Jsonb encode_list(const std::vector<std::string>& list) {
  Jsonb out;
  append_value(out, list);
  return out;
}

Jsonb encode_list(const std::vector<std::int64_t>& list) {
  Jsonb out;
  append_value(out, list);
  return out;
}

Metadata common_pairs(std::span<const Metadata* const> all) {
  Metadata common;
  if (all.empty()) return common;
  for (const auto& [key, value] : *all.front()) {
    bool everywhere = true;
    for (const Metadata* other : all.subspan(1)) {
      const auto found = other->find(key);
      everywhere = everywhere && found != other->end() && found->second == value;
    }
    if (everywhere) common.emplace(key, value);
  }
  return common;
}

}  // namespace loci::embedded
