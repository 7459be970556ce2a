#include "palace/place.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "base/utf8.h"

namespace loci {
namespace {

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029; }

bool is_space(char32_t c) { return c == ' ' || c == 0xA0 || c == 0x3000; }

// Answers from the counts by wing and room, which a backend has at hand; a scan reads every row.
Result<std::size_t> count_by_place(const Collection& drawers, const Scope& scope) {
  const std::vector<std::string> keys = {std::string(kWingKey), std::string(kRoomKey)};
  std::size_t count = 0;
  for (const GroupCount& group : TRY(drawers.count_by(keys))) {
    const bool in_wing = !scope.wing || group.values[0] == scope.wing;
    const bool in_room = !scope.room || group.values[1] == scope.room;
    if (in_wing && in_room) count += group.count;
  }
  return count;
}

}  // namespace

Status check_place_name(std::string_view what, std::string_view name) {
  const auto refuse = [&](std::string_view why) {
    return Error{ErrorKind::invalid_argument, "the name of the " + std::string(what) + " " + std::string(why)};
  };
  if (name.size() > kMaxPlaceNameBytes) {
    return refuse("has " + std::to_string(name.size()) + " bytes; at most " + std::to_string(kMaxPlaceNameBytes) +
                  " are allowed");
  }
  if (!is_valid_utf8(name)) return refuse("is not valid UTF-8");
  bool is_visible = false;
  for (std::size_t at = 0; at < name.size();) {
    const CodePoint next = decode_utf8(name, at);
    if (is_control(next.value)) return refuse("has a line break or another control character in it; leave it out");
    is_visible = is_visible || !is_space(next.value);
    at += next.length;
  }
  if (!is_visible) return refuse("is empty; give one, or leave the option out");
  return ok_status();
}

Filter to_filter(const Scope& scope) {
  std::vector<Filter> parts;
  const auto add_equal = [&](std::string_view key, const std::optional<std::string>& value) {
    if (value) parts.push_back(Filter::of({.key = std::string(key), .op = FilterOperator::eq, .operands = {*value}}));
  };
  add_equal(kWingKey, scope.wing);
  add_equal(kRoomKey, scope.room);
  if (!scope.where.is_empty()) parts.push_back(scope.where);
  if (parts.size() == 1) return std::move(parts.front());
  return Filter::all_of(std::move(parts));
}

Result<std::size_t> count_in_scope(const Collection& drawers, const Scope& scope) {
  if (scope.is_empty()) return drawers.count();
  if (scope.where.is_empty()) return count_by_place(drawers, scope);
  std::size_t count = 0;
  const GetRequest ids_only = {
      .selection = {.where = to_filter(scope)},
      .include = {.documents = false, .metadatas = false, .distances = false},
  };
  TRY(drawers.scan(ids_only, [&](const Record&) {
    ++count;
    return ok_status();
  }));
  return count;
}

std::optional<std::string> string_value(const Metadata& metadata, std::string_view key) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) return std::nullopt;
  const auto* text = std::get_if<std::string>(&found->second);
  if (text == nullptr) return std::nullopt;
  return *text;
}

}  // namespace loci
