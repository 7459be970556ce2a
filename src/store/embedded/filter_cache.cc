#include "store/embedded/filter_cache.h"

#include <algorithm>

#include "store/embedded/row_scope.h"

namespace loci::embedded {
namespace {

constexpr std::size_t kEntries = 16;
constexpr std::size_t kMostChanges = 10'000;  // with more, evaluating all is not slower

Result<std::vector<std::int64_t>> evaluate(Connection& connection, const RowScope& scope) {
  Statement select = TRY(connection.prepare("SELECT r.row FROM " + scope.from()));
  scope.bind(select);
  std::vector<std::int64_t> rows;
  while (TRY(select.step())) rows.push_back(select.integer(0));
  std::sort(rows.begin(), rows.end());
  return rows;
}

// `old` without what was changed or removed, with those of the changed that pass now.
std::vector<std::int64_t> updated(const std::vector<std::int64_t>& old, const Changes& changes,
                                  const std::vector<std::int64_t>& passing) {
  std::vector<std::int64_t> kept;
  const auto contains = [](const std::vector<std::int64_t>& rows, std::int64_t row) {
    return std::binary_search(rows.begin(), rows.end(), row);
  };
  for (const std::int64_t row : old) {
    if (!contains(changes.written, row) && !contains(changes.removed, row)) kept.push_back(row);
  }
  std::vector<std::int64_t> merged;
  std::merge(kept.begin(), kept.end(), passing.begin(), passing.end(), std::back_inserter(merged));
  return merged;
}

}  // namespace

std::shared_ptr<const SlotMask> FilteredRows::mask(const LiveSegment& segment) {
  const MutexLock lock(mutex_);
  std::shared_ptr<const SlotMask>& mask = masks_[segment.row.file];
  if (mask == nullptr) {
    auto made = std::make_shared<SlotMask>(segment.segment->size(), SlotMask::Start::none);
    for (const std::int64_t row : rows_) {
      if (const auto slot = segment.segment->slot_of(row)) made->include(*slot);
    }
    mask = std::move(made);
  }
  return mask;
}

Result<std::shared_ptr<FilteredRows>> FilterCache::rows(Connection& connection, std::int64_t collection,
                                                        const Filter& where, const DocumentFilter& where_document) {
  const std::string key = std::to_string(collection) + to_json(where) + '\n' + to_json(where_document);
  const std::int64_t seq = TRY(current_seq(connection));
  const std::shared_ptr<FilteredRows> known = find(key);
  if (known != nullptr && known->seq() == seq) return known;
  std::shared_ptr<FilteredRows> found;
  if (known != nullptr && known->seq() < seq) {
    const Changes changes = TRY(changes_after(connection, collection, known->seq()));
    if (changes.written.size() + changes.removed.size() <= kMostChanges) {
      const RowScope scope(collection, where, where_document, &changes.written);
      found = std::make_shared<FilteredRows>(seq, updated(known->rows(), changes, TRY(evaluate(connection, scope))));
    }
  }
  if (found == nullptr)
    found = std::make_shared<FilteredRows>(seq, TRY(evaluate(connection, RowScope(collection, where, where_document))));
  keep(key, found);
  return found;
}

std::shared_ptr<FilteredRows> FilterCache::find(const std::string& key) {
  const MutexLock lock(mutex_);
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.key == key; });
  if (found == entries_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found);
  return found->rows;
}

void FilterCache::keep(const std::string& key, std::shared_ptr<FilteredRows> rows) {
  const MutexLock lock(mutex_);
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.key == key; });
  if (found != entries_.end()) {
    if (found->rows->seq() < rows->seq()) found->rows = std::move(rows);
    return;
  }
  entries_.push_front({key, std::move(rows)});
  if (entries_.size() > kEntries) entries_.pop_back();
}

}  // namespace loci::embedded
