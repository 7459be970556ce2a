#include "palace/drawer.h"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "base/clock.h"
#include "base/random.h"
#include "palace/known_place.h"
#include "store/contract.h"

namespace loci {
namespace {

constexpr std::size_t kIdRandomBytes = 12;

bool has_visible_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return c != ' ' && (c < '\t' || c > '\r'); });
}

Error contradiction(std::string_view key) {
  return {ErrorKind::invalid_argument,
          "the metadata gives another " + std::string(key) + " than the request; say it once"};
}

// Puts what the request says under the key, where the metadata may say the same already.
Status merge_said(Metadata& metadata, std::string_view key, const std::optional<std::string>& said) {
  if (!said) return ok_status();
  const auto [entry, is_new] = metadata.try_emplace(std::string(key), *said);
  if (!is_new && entry->second != MetadataValue(*said)) return contradiction(key);
  return ok_status();
}

Status merge_place(Metadata& metadata, const std::optional<std::string>& wing, const std::optional<std::string>& room) {
  TRY(merge_said(metadata, kWingKey, wing));
  TRY(merge_said(metadata, kRoomKey, room));
  for (const std::string_view key : {kWingKey, kRoomKey}) {
    const auto entry = metadata.find(key);
    if (entry == metadata.end()) continue;
    const auto* name = std::get_if<std::string>(&entry->second);
    if (name == nullptr) {
      return Error{ErrorKind::invalid_argument, "the " + std::string(key) + " in the metadata is not a string"};
    }
    TRY(check_place_name(key, *name));
  }
  return ok_status();
}

Error no_such_drawers(const std::vector<std::string>& ids) {
  std::string message = ids.size() == 1 ? "there is no drawer " : "there are no drawers ";
  constexpr std::size_t kShown = 5;
  for (std::size_t i = 0; i < std::min(ids.size(), kShown); ++i) message += (i == 0 ? "" : ", ") + in_quotes(ids[i]);
  if (ids.size() > kShown) message += " and " + std::to_string(ids.size() - kShown) + " more";
  return {ErrorKind::not_found, std::move(message)};
}

// The store finds the texts that contain this one; most of them are it.
Result<DrawerList> list_equal(const Collection& drawers, const ListRequest& request, const std::string& document) {
  const GetRequest containing = {
      .selection = {.where = to_filter(request.scope),
                    .where_document = DocumentFilter::of({.op = FilterOperator::contains, .text = document})},
      .include = {.details = true},
  };
  DrawerList list;
  TRY(drawers.scan(containing, [&](Record record) {
    if (record.document != document) return ok_status();
    const bool is_asked_for = list.total >= request.offset && list.drawers.size() < request.limit;
    ++list.total;
    if (is_asked_for) list.drawers.push_back(std::move(record));
    return ok_status();
  }));
  return list;
}

// What is written by hand is in no file: it would vanish when the file changes, and claim to stand there until then.
Status leave_source_if_rewritten(const Collection& drawers, RecordUpdate& update) {
  if (!update.document) return ok_status();
  const std::vector<Record> found =
      TRY(drawers.get({.selection = {.ids = std::vector{update.id}}, .include = {.details = true}}));
  if (found.empty() || found.front().document == *update.document) return ok_status();
  const std::optional<RecordDetails>& details = found.front().details;
  if (!details || !details->key) return ok_status();
  update.leaves_source.emplace();
  for (const std::string_view key :
       {kSourceKey, kChunkIndexKey, kLineStartKey, kLineEndKey, kByteStartKey, kByteEndKey, kIngestModeKey})
    update.leaves_source->emplace_back(key);
  if (!update.metadata) update.metadata.emplace();
  update.metadata->insert_or_assign(std::string(kEditedFromKey), details->key->source);
  return ok_status();
}

constexpr Include kIdsOnly = {.documents = false, .metadatas = false, .distances = false};

}  // namespace

Result<Record> make_drawer(NewDrawer drawer, std::int64_t now_unix_ms) {
  if (!has_visible_character(drawer.document)) {
    return Error{ErrorKind::invalid_argument, "there is nothing to store: the document is empty"};
  }
  Metadata& metadata = drawer.metadata;
  TRY(merge_place(metadata, drawer.wing, drawer.room));
  TRY(merge_said(metadata, kSourceKey, drawer.source));
  metadata.try_emplace(std::string(kWingKey), std::string(kDefaultWing));
  metadata.try_emplace(std::string(kRoomKey), std::string(kDefaultRoom));
  metadata.try_emplace(std::string(kFiledAtKey), to_iso8601(now_unix_ms));
  Record record = {
      .id = drawer.id ? std::move(*drawer.id) : "drawer_" + random_hex(kIdRandomBytes),
      .document = std::move(drawer.document),
      .metadata = std::move(metadata),
  };
  TRY(check_records(std::span(&record, 1)));
  return record;
}

Result<Record> add_drawer(Collection& drawers, NewDrawer drawer, std::int64_t now_unix_ms) {
  Record record = TRY(make_drawer(std::move(drawer), now_unix_ms));
  TRY(join_known_place(drawers, record.metadata));
  TRY(drawers.add(std::span(&record, 1)));
  return record;
}

Result<DrawersFound> find_drawers(const Collection& drawers, const std::vector<std::string>& ids,
                                  const Include& include) {
  // An id may be asked for twice; the backend gets each once.
  std::vector<std::string> unique_ids = ids;
  std::sort(unique_ids.begin(), unique_ids.end());
  unique_ids.erase(std::unique(unique_ids.begin(), unique_ids.end()), unique_ids.end());

  std::map<std::string, Record, std::less<>> by_id;
  for (Record& record : TRY(drawers.get({.selection = {.ids = std::move(unique_ids)}, .include = include}))) {
    std::string id = record.id;
    by_id.emplace(std::move(id), std::move(record));
  }
  DrawersFound found;
  for (const std::string& id : ids) {
    const auto entry = by_id.find(id);
    if (entry == by_id.end()) {
      found.missing.push_back(id);
    } else {
      found.drawers.push_back(entry->second);
    }
  }
  return found;
}

Result<DrawerList> list_drawers(const Collection& drawers, const ListRequest& request) {
  if (request.document) return list_equal(drawers, request, *request.document);
  DrawerList list;
  list.drawers = TRY(drawers.get({.selection = {.where = to_filter(request.scope)},
                                  .limit = request.limit,
                                  .offset = request.offset,
                                  .include = {.details = true}}));
  list.total = TRY(count_in_scope(drawers, request.scope));
  return list;
}

Result<Record> update_drawer(Collection& drawers, DrawerChange change) {
  if (change.document && !has_visible_character(*change.document)) {
    return Error{ErrorKind::invalid_argument, "the new document is empty; to remove a drawer, delete it"};
  }
  TRY(merge_place(change.metadata, change.wing, change.room));
  TRY(join_known_place(drawers, change.metadata));
  RecordUpdate update = {.id = change.id, .document = std::move(change.document)};
  if (!change.metadata.empty()) update.metadata = std::move(change.metadata);
  if (!update.document && !update.metadata) {
    return Error{ErrorKind::invalid_argument, "nothing to change: give a document, a wing, a room or metadata"};
  }
  TRY(leave_source_if_rewritten(drawers, update));
  const UpdateReport report = TRY(drawers.update(std::span(&update, 1)));
  if (!report.missing.empty()) return no_such_drawers(report.missing);
  DrawersFound found = TRY(find_drawers(drawers, {change.id}));
  // Another process may have deleted it since.
  if (found.drawers.empty()) return no_such_drawers(found.missing);
  return std::move(found.drawers.front());
}

Result<DeleteReport> delete_drawers(Collection& drawers, const DeleteRequest& request) {
  if (request.ids.empty() && request.scope.is_empty()) {
    return Error{ErrorKind::invalid_argument, "say what to delete: ids, a wing, a room or a filter"};
  }
  Selection selection = {.where = to_filter(request.scope)};
  if (!request.ids.empty()) {
    const DrawersFound found = TRY(find_drawers(drawers, request.ids, kIdsOnly));
    if (!found.missing.empty()) return no_such_drawers(found.missing);
    selection.ids = request.ids;
    std::sort(selection.ids->begin(), selection.ids->end());
    selection.ids->erase(std::unique(selection.ids->begin(), selection.ids->end()), selection.ids->end());
  }
  if (request.dry_run == DryRun::no) return DeleteReport{.deleted = TRY(drawers.erase(selection))};

  DeleteReport report;
  TRY(drawers.scan({.selection = std::move(selection), .include = kIdsOnly}, [&](const Record&) {
    ++report.deleted;
    return ok_status();
  }));
  return report;
}

}  // namespace loci
