#include "palace/known_place.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "text/place_name.h"

namespace loci {
namespace {

using CountByName = std::map<std::string, std::size_t>;

Result<bool> is_there(const Collection& drawers, const KnownPlace& place) {
  const GetRequest one = {.selection = {.where = to_filter({.wing = place.wing, .room = place.room})},
                          .limit = 1,
                          .include = {.documents = false, .metadatas = false}};
  return !TRY(drawers.get(one)).empty();
}

// Changes the name to the one that is meant. False: there is none.
bool settle(const CountByName& known, std::string& name) {
  if (known.contains(name)) return true;
  const std::string normal = place_name_from(name);
  const CountByName::value_type* most = nullptr;
  for (const auto& entry : known) {
    const bool is_same = !normal.empty() && place_name_from(entry.first) == normal;
    if (is_same && (most == nullptr || entry.second > most->second)) most = &entry;
  }
  if (most == nullptr) return false;
  name = most->first;
  return true;
}

UnknownPlace unknown_among(PlaceKind kind, const CountByName& known) {
  UnknownPlace unknown = {.kind = kind, .known = {}};
  for (const auto& [name, count] : known) unknown.known.push_back(name);
  return unknown;
}

}  // namespace

Result<KnownPlace> known_place(const Collection& drawers, std::optional<std::string> wing,
                               std::optional<std::string> room) {
  KnownPlace place = {.wing = std::move(wing), .room = std::move(room)};
  const bool is_as_given = (!place.wing && !place.room) || TRY(is_there(drawers, place));
  if (is_as_given) return place;
  const std::vector<std::string> keys = {std::string(kWingKey), std::string(kRoomKey)};
  const std::vector<GroupCount> groups = TRY(drawers.count_by(keys));
  CountByName wings;
  for (const GroupCount& group : groups) {
    if (group.values[0]) wings[*group.values[0]] += group.count;
  }
  if (place.wing && !settle(wings, *place.wing)) {
    place.unknown = unknown_among(PlaceKind::wing, wings);
    return place;
  }
  CountByName rooms;
  for (const GroupCount& group : groups) {
    const bool is_in_wing = !place.wing || group.values[0] == place.wing;
    if (is_in_wing && group.values[1]) rooms[*group.values[1]] += group.count;
  }
  if (place.room && !settle(rooms, *place.room)) place.unknown = unknown_among(PlaceKind::room, rooms);
  return place;
}

Status join_known_place(const Collection& drawers, Metadata& metadata) {
  const KnownPlace place =
      TRY(known_place(drawers, string_value(metadata, kWingKey), string_value(metadata, kRoomKey)));
  if (place.wing) metadata[std::string(kWingKey)] = *place.wing;
  if (place.room) metadata[std::string(kRoomKey)] = *place.room;
  return ok_status();
}

}  // namespace loci
