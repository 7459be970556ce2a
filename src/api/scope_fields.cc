#include "api/scope_fields.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/suggestion.h"
#include "base/clock.h"
#include "loci/filter.h"
#include "palace/known_place.h"
#include "palace/time_span.h"
#include "text/place_name.h"

namespace loci {

namespace {

Status read_times(const Request& request, Scope& scope) {
  const std::optional<std::string> since = request.text(kSinceField.name);
  const std::optional<std::string> before = request.text(kBeforeField.name);
  const std::optional<std::string> on = request.text(kOnField.name);
  if (on && (since || before))
    return Error{ErrorKind::invalid_argument, "`on` already says from when to when; leave out `since` and `before`"};
  const std::int64_t now = now_unix_ms();
  if (since) scope.since_unix_ms = TRY(parse_time_span(*since, now)).start_unix_ms;
  if (before) scope.before_unix_ms = TRY(parse_time_span(*before, now)).start_unix_ms;
  if (on) {
    const TimeSpan span = TRY(parse_time_span(*on, now));
    scope.since_unix_ms = span.start_unix_ms;
    scope.before_unix_ms = span.end_unix_ms;
  }
  return ok_status();
}

// Compared by normal forms, since a capital or a hyphen is no mistake.
std::string suggestion_for(const std::string& name, const std::vector<std::string>& known) {
  std::vector<std::string> normal;
  for (const std::string& other : known) normal.push_back(place_name_from(other));
  const std::vector<std::string_view> candidates(normal.begin(), normal.end());
  const auto nearest = nearest_word(place_name_from(name), candidates);
  if (!nearest) return "; `loci status` lists what there is";
  const auto found = std::find(candidates.begin(), candidates.end(), *nearest);
  return "; did you mean " + known[static_cast<std::size_t>(found - candidates.begin())] + "?";
}

}  // namespace

Result<Scope> scope_from(const Request& request) {
  Scope scope = {.wing = request.text(kWingField.name),
                 .room = request.text(kRoomField.name),
                 .source = request.text(kSourceField.name),
                 .tag = request.text(kTagField.name),
                 .role = request.text(kRoleField.name),
                 .agent = request.text(kAgentField.name),
                 .kind = request.text(kKindField.name)};
  TRY(read_times(request, scope));
  scope.where = TRY(where_from(request));
  return scope;
}

Result<Json> settle_place(const Collection& drawers, Scope& scope) {
  KnownPlace place = TRY(known_place(drawers, scope.wing, scope.room));
  scope.wing = std::move(place.wing);
  scope.room = std::move(place.room);
  Json degraded = Json::array();
  if (!place.unknown) return degraded;
  const bool is_wing = place.unknown->kind == PlaceKind::wing;
  const std::string& name = is_wing ? *scope.wing : *scope.room;
  const std::string where = is_wing ? "no drawer is in the wing " : "no drawer is in the room ";
  const std::string of_wing = !is_wing && scope.wing ? " of the wing " + *scope.wing : "";
  degraded.push_back(
      {{"part", "scope"}, {"reason", where + name + of_wing + suggestion_for(name, place.unknown->known)}});
  return degraded;
}

Result<Filter> where_from(const Request& request) {
  const Json* where = request.object(kWhereField.name);
  return where == nullptr ? Filter() : parse_filter(to_text(*where, JsonLayout::one_line));
}

}  // namespace loci
