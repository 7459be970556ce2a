#include "palace/place.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/count_characters.h"
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

// Times are ISO texts in UTC, so that their order is that of the texts. A date alone comes before every moment of its
// day; it counts as the whole day, so the lower bound of a content date is the day.
Filter in_time(const Scope& scope) {
  std::vector<Filter> dated;
  // A range holds for no record without the key; every text contains the empty one, so this says that there is none.
  std::vector<Filter> undated = {condition(kContentDateKey, FilterOperator::not_contains, "")};
  if (scope.since_unix_ms) {
    const std::string since = to_iso8601(*scope.since_unix_ms);
    dated.push_back(condition(kContentDateKey, FilterOperator::gte, since.substr(0, kDateLength)));
    undated.push_back(condition(kFiledAtKey, FilterOperator::gte, since));
  }
  if (scope.before_unix_ms) {
    const std::string before = to_iso8601(*scope.before_unix_ms);
    const bool is_midnight = before.ends_with("T00:00:00.000Z");
    dated.push_back(
        condition(kContentDateKey, FilterOperator::lt, is_midnight ? before.substr(0, kDateLength) : before));
    undated.push_back(condition(kFiledAtKey, FilterOperator::lt, before));
  }
  std::vector<Filter> either = {Filter::all_of(std::move(dated)), Filter::all_of(std::move(undated))};
  return Filter::any_of(std::move(either));
}

}  // namespace

Filter condition(std::string_view key, FilterOperator op, std::string value) {
  return Filter::of({.key = std::string(key), .op = op, .operands = {std::move(value)}});
}

Status check_place_name(std::string_view what, std::string_view name) {
  const auto refuse = [&](std::string_view why) {
    return Error{ErrorKind::invalid_argument, "the name of the " + std::string(what) + " " + std::string(why)};
  };
  if (!is_valid_utf8(name)) return refuse("is not valid UTF-8");
  const std::size_t characters = count_characters(name);
  if (characters > kMaxPlaceNameCharacters) {
    return refuse("has " + std::to_string(characters) + " characters; at most " +
                  std::to_string(kMaxPlaceNameCharacters) + " are allowed");
  }
  if (name.find_first_of("/\\") != std::string_view::npos) return refuse("has a slash in it; leave it out");
  if (name.find("..") != std::string_view::npos) return refuse("has two points in a row; leave one out");
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
  const auto add = [&](std::string_view key, FilterOperator op, const std::optional<std::string>& value) {
    if (value) parts.push_back(condition(key, op, *value));
  };
  add(kWingKey, FilterOperator::eq, scope.wing);
  add(kRoomKey, FilterOperator::eq, scope.room);
  add(kSourceKey, FilterOperator::contains, scope.source);
  add(kTagsKey, FilterOperator::contains, scope.tag);
  add(kRoleKey, FilterOperator::eq, scope.role);
  add(kAgentKey, FilterOperator::eq, scope.agent);
  add(kKindKey, FilterOperator::eq, scope.kind);
  if (scope.since_unix_ms || scope.before_unix_ms) parts.push_back(in_time(scope));
  if (!scope.where.is_empty()) parts.push_back(scope.where);
  if (parts.size() == 1) return std::move(parts.front());
  return Filter::all_of(std::move(parts));
}

Result<std::size_t> count_in_scope(const Collection& drawers, const Scope& scope) {
  if (scope.is_empty()) return drawers.count();
  if (scope.is_place_only()) return count_by_place(drawers, scope);
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
