#include "ops/import_batch.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/sha256.h"
#include "base/utf8.h"
#include "store/contract.h"

namespace loci {
namespace {

constexpr std::size_t kBatchRecords = 1'000;
constexpr std::size_t kBatchBytes = std::size_t{16} << 20;
constexpr int kAttempts = 10;  // how often another process may store one of our ids between our look and our write

using Items = std::vector<ImportItem*>;

// The key as one text, for a set.
std::string key_text(const UniqueKey& key) {
  return key.source + '\0' + key.content_hash + '\0' + std::to_string(key.occurrence);
}

// Ids and keys of one collection that were met so far.
class Names {
 public:
  bool has(const Record& record) const {
    return ids_.contains(record.id) ||
           (record.details && record.details->key && keys_.contains(key_text(*record.details->key)));
  }
  void insert(const Record& record) {
    ids_.insert(record.id);
    if (record.details && record.details->key) keys_.insert(key_text(*record.details->key));
  }

 private:
  std::unordered_set<std::string> ids_;
  std::unordered_set<std::string> keys_;
};

Items unsettled(const Items& items) {
  Items open;
  std::copy_if(items.begin(), items.end(), std::back_inserter(open),
               [](const ImportItem* item) { return !item->outcome; });
  return open;
}

std::vector<Record> records_of(const Items& items) {
  std::vector<Record> records;
  records.reserve(items.size());
  for (const ImportItem* item : items) records.push_back(item->content.record);
  return records;
}

std::vector<std::string> ids_of(const Items& items) {
  std::vector<std::string> ids;
  ids.reserve(items.size());
  for (const ImportItem* item : items) ids.push_back(item->content.record.id);
  return ids;
}

// Is the error about a record, and not about the palace?
bool is_about_a_record(ErrorKind kind) {
  return kind == ErrorKind::invalid_argument || kind == ErrorKind::dimension_mismatch ||
         kind == ErrorKind::embedder_mismatch;
}

// Stores the items that are in no conflict and settles them. The others are returned, with the id that they are in
// conflict with as their stored_id.
Result<Items> add_new(ImportTarget& target, Items items) {
  Items conflicts;
  for (int attempt = 1; !items.empty(); ++attempt) {
    Result<std::vector<Written>> written = target.collection().add(records_of(items));
    if (written.ok()) {
      for (std::size_t i = 0; i < items.size(); ++i) {
        items[i]->stored_id = (*written)[i].id;
        if ((*written)[i].state == WriteState::already_there) {
          conflicts.push_back(items[i]);
        } else {
          items[i]->outcome = ImportOutcome::stored;
        }
      }
      break;
    }
    if (written.error().kind != ErrorKind::already_exists || attempt == kAttempts) return written.error();
    const std::unordered_set<std::string> existing = TRY(target.existing_ids(ids_of(items)));
    const auto is_new = [&](const ImportItem* item) { return !existing.contains(item->content.record.id); };
    const auto first_existing = std::stable_partition(items.begin(), items.end(), is_new);
    for (auto item = first_existing; item != items.end(); ++item) (*item)->stored_id = (*item)->content.record.id;
    conflicts.insert(conflicts.end(), first_existing, items.end());
    items.erase(first_existing, items.end());
  }
  return conflicts;
}

Status add_or_skip(ImportTarget& target, const Items& items) {
  const Items conflicts = TRY(add_new(target, items));
  for (ImportItem* item : conflicts) item->outcome = ImportOutcome::already_there;
  return ok_status();
}

// An update takes the details as a whole, so those that a line does not have are filled in from the stored record.
Status keep_unnamed_details(ImportTarget& target, const Items& items) {
  std::unordered_map<std::string, RecordLine*> incomplete;
  std::vector<std::string> ids;
  for (ImportItem* item : items) {
    const NamedDetails& named = item->content.named;
    if (!named.has_any() || (named.links && named.use_count && named.created_at)) continue;
    ids.push_back(item->content.record.id);
    incomplete.emplace(ids.back(), &item->content);
  }
  if (ids.empty()) return ok_status();
  const std::vector<Record> stored = TRY(target.existing_details(std::move(ids)));
  for (const Record& record : stored) {
    if (!record.details) continue;
    RecordLine& line = *incomplete.at(record.id);
    RecordDetails& details = *line.record.details;
    if (!line.named.links) details.links = record.details->links;
    if (!line.named.use_count) details.use_count = record.details->use_count;
    if (!line.named.created_at) details.created_at = record.details->created_at;
  }
  return ok_status();
}

Status upsert(ImportTarget& target, const Items& items) {
  TRY(keep_unnamed_details(target, items));
  const std::vector<Written> written = TRY(target.collection().upsert(records_of(items)));
  Items under_another_id;  // the key is there, so it is that record which the line is about
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (written[i].state == WriteState::already_there) {
      items[i]->content.record.id = written[i].id;
      under_another_id.push_back(items[i]);
    } else {
      items[i]->settle(written[i].state == WriteState::stored ? ImportOutcome::stored : ImportOutcome::updated,
                       written[i].id);
    }
  }
  if (under_another_id.empty()) return ok_status();
  TRY(keep_unnamed_details(target, under_another_id));
  const std::vector<Written> rewritten = TRY(target.collection().upsert(records_of(under_another_id)));
  for (std::size_t i = 0; i < under_another_id.size(); ++i) {
    under_another_id[i]->settle(ImportOutcome::updated, rewritten[i].id);
  }
  return ok_status();
}

// Made from the record alone, so that a repeated import finds what the first one made.
std::string duplicate_id(const Record& record) {
  constexpr std::size_t kHashDigits = 16;
  std::string content;
  [[maybe_unused]] const Status printed = append_record_line(content, {}, record, ExportVectors::include);
  assert(printed.ok());  // records with numbers that cannot be printed are refused before
  const std::string suffix = "~" + to_hex(sha256(content)).substr(0, kHashDigits);
  return record.id.substr(0, floor_char_boundary(record.id, kMaxIdBytes - suffix.size())) + suffix;
}

Status add_duplicates(ImportTarget& target, const Items& items) {
  const Items conflicts = TRY(add_new(target, items));
  for (ImportItem* item : conflicts) {
    Record& record = item->content.record;
    record.id = duplicate_id(record);
    if (record.details) record.details->key.reset();
  }
  return add_or_skip(target, conflicts);
}

// The first pass over the input found no conflict, so one that shows up now was made by another process.
Status add_or_fail(ImportTarget& target, const Items& items) {
  const Items conflicts = TRY(add_new(target, items));
  if (conflicts.empty()) return ok_status();
  return Error{ErrorKind::already_exists, "line " + std::to_string(conflicts.front()->line) +
                                              ": another process stored record " + in_quotes(conflicts.front()->id) +
                                              " while the import ran"};
}

}  // namespace

void ImportBatch::add(ImportItem item, std::size_t bytes) {
  items_.push_back(std::move(item));
  bytes_ += bytes;
}

bool ImportBatch::is_full() const { return items_.size() >= record_limit_ || bytes_ >= kBatchBytes; }

void ImportBatch::clear() {
  items_.clear();
  bytes_ = 0;
}

ImportBatch::ImportBatch(Backend& backend, const ImportRequest& request)
    : backend_(backend),
      request_(request),
      limits_(write_limits(backend.info())),
      record_limit_(std::min(kBatchRecords, limits_.max_batch.value_or(kBatchRecords))) {}

Status ImportBatch::store() {
  std::vector<std::pair<std::string_view, Items>> by_collection;  // in the order in which the file names them
  for (ImportItem& item : items_) {
    if (item.outcome) continue;
    auto group = std::find_if(by_collection.begin(), by_collection.end(),
                              [&](const auto& entry) { return entry.first == item.collection; });
    if (group == by_collection.end()) group = by_collection.insert(by_collection.end(), {item.collection, {}});
    group->second.push_back(&item);
  }
  for (const auto& [name, items] : by_collection) TRY(store_collection(std::string(name), items));
  return ok_status();
}

Status ImportBatch::store_collection(const std::string& name, const Items& items) {
  const Status name_status = check_collection_name(name);
  for (ImportItem* item : items) {
    const Status status = name_status.ok() ? check_records(std::span(&item->content.record, 1), limits_) : name_status;
    if (!status.ok()) item->refuse(status.error().message);
  }
  const Items valid = unsettled(items);
  if (valid.empty()) return ok_status();  // nothing to make a collection for
  ImportTarget* collection = TRY(target(name, valid.front()->content));

  // Two lines of one id or key must not meet in one write, so a second one waits for the next round.
  Items round;
  Names names;
  for (ImportItem* item : valid) {
    const Record& record = item->content.record;
    if (names.has(record)) {
      TRY(store_distinct(*collection, std::exchange(round, {})));
      names = {};
    }
    if (const Status status = collection->check(item->content); !status.ok()) {
      item->refuse(status.error().message);
      continue;
    }
    TRY(collection->expect(item->content));
    names.insert(record);
    round.push_back(item);
  }
  return store_distinct(*collection, round);
}

Result<ImportTarget*> ImportBatch::target(const std::string& name, const RecordLine& first) {
  auto found = targets_.find(name);
  if (found == targets_.end()) {
    ImportTarget opened = TRY(ImportTarget::open(backend_, request_, name, first));
    found = targets_.emplace(name, std::move(opened)).first;
  }
  return &found->second;
}

// Where a backend refuses a batch for a reason that our checks do not know, halving it finds the record.
Status ImportBatch::store_distinct(ImportTarget& target, const Items& items) {
  if (items.empty()) return ok_status();
  const Status status = store_by_mode(target, items);
  if (status.ok() || !is_about_a_record(status.error().kind)) return status;
  const Items left = unsettled(items);
  if (left.size() == 1) {
    left.front()->refuse(status.error().message);
    return ok_status();
  }
  const auto middle = left.begin() + static_cast<std::ptrdiff_t>(left.size() / 2);
  TRY(store_distinct(target, Items(left.begin(), middle)));
  return store_distinct(target, Items(middle, left.end()));
}

Status ImportBatch::store_by_mode(ImportTarget& target, const Items& items) {
  switch (request_.on_conflict) {
    case OnConflict::skip: return add_or_skip(target, items);
    case OnConflict::update: return upsert(target, items);
    case OnConflict::duplicate: return add_duplicates(target, items);
    case OnConflict::fail: return add_or_fail(target, items);
  }
  return Error{ErrorKind::internal, "unknown way to handle a conflict"};
}

}  // namespace loci
