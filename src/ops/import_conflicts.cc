#include "ops/import_conflicts.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/sha256.h"
#include "store/contract.h"

namespace loci {
namespace {

constexpr std::size_t kLookUpRecords = 1'000;

std::string short_hash(std::string_view text) {
  constexpr std::size_t kBytes = 16;
  const Sha256 hash = sha256(text);
  return std::string(hash.begin(), hash.begin() + kBytes);
}

std::string key_hash(const UniqueKey& key) {
  return short_hash(key.source + '\0' + key.content_hash + '\0' + std::to_string(key.occurrence));
}

Error conflict(std::size_t line, std::string_view id, std::string_view collection, std::string_view what) {
  return {ErrorKind::already_exists, "line " + std::to_string(line) + ": record " + in_quotes(id) + " of collection " +
                                         in_quotes(collection) + " " + std::string(what) + "; nothing was imported"};
}

}  // namespace

Status ConflictFinder::add(std::size_t line, const std::string& collection, const Record& record) {
  Seen& known = *TRY(seen(collection));
  if (!known.ids.insert(short_hash(record.id)).second) {
    TRY(look_up(collection, known));  // a conflict of an earlier line comes first
    return conflict(line, record.id, collection, "came before in the file");
  }
  if (record.details && record.details->key) {
    if (!known.has_stored_keys) TRY(load_stored_keys(known));
    if (!known.keys.insert(key_hash(*record.details->key)).second) {
      TRY(look_up(collection, known));
      return conflict(line, record.id, collection, "has a unique key that is there already");
    }
  }
  if (!known.collection) return ok_status();
  known.waiting.push_back({.line = line, .id = record.id});
  return known.waiting.size() < kLookUpRecords ? ok_status() : look_up(collection, known);
}

Status ConflictFinder::finish() {
  for (auto& [name, known] : collections_) TRY(look_up(name, known));
  return ok_status();
}

Result<ConflictFinder::Seen*> ConflictFinder::seen(const std::string& name) {
  if (const auto found = collections_.find(name); found != collections_.end()) return &found->second;
  Result<std::shared_ptr<Collection>> opened = backend_.collection(request_.palace, name, OpenOptions{});
  Seen fresh;
  if (opened.ok()) {
    fresh.collection = *opened;
  } else if (opened.error().kind != ErrorKind::palace_not_found &&
             opened.error().kind != ErrorKind::collection_not_initialized) {
    return opened.error();
  }
  return &collections_.emplace(name, std::move(fresh)).first->second;
}

Status ConflictFinder::look_up(const std::string& name, Seen& known) {
  if (known.waiting.empty()) return ok_status();
  GetRequest request{.selection = {.ids = std::vector<std::string>()},
                     .include = {.documents = false, .metadatas = false}};
  for (const WaitingRecord& record : known.waiting) request.selection.ids->push_back(record.id);
  const std::vector<Record> found = TRY(known.collection->get(request));
  const auto is_found = [&](const WaitingRecord& waiting) {
    return std::any_of(found.begin(), found.end(), [&](const Record& record) { return record.id == waiting.id; });
  };
  const auto first = std::find_if(known.waiting.begin(), known.waiting.end(), is_found);
  if (first != known.waiting.end()) return conflict(first->line, first->id, name, "is there already");
  known.waiting.clear();
  return ok_status();
}

// The contract has no look-up by key, so all keys of the collection are read once.
Status ConflictFinder::load_stored_keys(Seen& known) {
  known.has_stored_keys = true;
  if (!known.collection) return ok_status();
  const GetRequest request{.include = {.documents = false, .metadatas = false, .details = true}};
  return known.collection->scan(request, [&](const Record& record) {
    if (record.details && record.details->key) known.keys.insert(key_hash(*record.details->key));
    return ok_status();
  });
}

}  // namespace loci
