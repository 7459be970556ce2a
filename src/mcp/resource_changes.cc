#include "mcp/resource_changes.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "mcp/protocol.h"
#include "mcp/resources.h"

namespace loci::mcp {
namespace {

// Of more drawers than this nobody looks up the places.
constexpr std::size_t kMostLookedUp = 100;

// The ids of the drawers that the call names; nothing when it is about others.
std::optional<Json> named_ids(const Json& fields) {
  if (const Json* id = member(fields, "id"); id != nullptr && id->is_string()) return Json::array({*id});
  const Json* ids = member(fields, "ids");
  if (ids == nullptr || !ids->is_array() || ids->empty() || ids->size() > kMostLookedUp) return std::nullopt;
  return *ids;
}

}  // namespace

bool changes_drawers(const Operation& operation) {
  return operation.stores_texts == StoresTexts::yes || operation.creates_palace == CreatesPalace::yes ||
         operation.effect == Effect::destroys;
}

ResourceChanges::ResourceChanges(const Operation& operation, const Json& fields, Read read)
    : only_adds_(operation.name == "add") {
  const Json* dry_run = member(fields, "dry_run");
  is_dry_run_ = dry_run != nullptr && *dry_run == Json(true);
  if (is_dry_run_ || only_adds_) return;
  const std::optional<Json> ids = named_ids(fields);
  const bool is_about_them = operation.name == "update" || operation.name == "delete";
  is_everything_ = !is_about_them || !ids;
  if (is_everything_) return;
  const Result<Answer> before = read("get", {{"ids", *ids}});
  if (!before.ok()) return;
  for (const Json& drawer : before->body.at("drawers")) touch(drawer);
}

void ResourceChanges::finish(const Result<Answer>& answer, Read read, FilledRooms& filled) {
  if (is_dry_run_) return;
  const Json* applied = answer.ok() ? member(answer->body, "applied") : nullptr;
  if (applied != nullptr && *applied == Json(false)) is_everything_ = false;
  if (is_everything_) {
    changes_list_ = true;
    return;
  }
  if (!answer.ok()) return uris_.clear();  // of named drawers all are changed, or none
  if (member(answer->body, "id") != nullptr) touch(answer->body);
  for (const std::vector<std::string>& uri : uris_) {
    if (uri.front() != "room" || (only_adds_ && filled.has(uri))) continue;
    const Result<Answer> left = read("list", {{"wing", uri[1]}, {"room", uri[2]}, {"limit", 1}});
    if (!left.ok()) continue;
    const auto drawers = left->body.at("total").get<std::size_t>();
    changes_list_ |= drawers <= 1;  // the last one has gone, or the first one has come
    filled.note(uri, drawers > 0);
  }
}

void ResourceChanges::touch(const Json& drawer) {
  const std::string wing = text_member(drawer, "wing");
  const std::string room = text_member(drawer, "room");
  uris_.insert({"drawer", text_member(drawer, "id")});
  if (!wing.empty()) uris_.insert({"wing", wing});
  if (!wing.empty() && !room.empty()) uris_.insert({"room", wing, room});
  if (const std::string source = text_member(drawer, "source"); !source.empty()) uris_.insert({"source", source});
}

bool ResourceChanges::touches(const std::string& uri) const {
  const std::optional<std::vector<std::string>> parts = parse_uri(uri);
  return parts && (is_everything_ || uris_.contains(*parts));
}

}  // namespace loci::mcp
