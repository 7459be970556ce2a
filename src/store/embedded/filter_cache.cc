#include "store/embedded/filter_cache.h"

#include <algorithm>

#include "store/embedded/row_scope.h"

namespace loci::embedded {
namespace {

constexpr std::size_t kEntries = 16;
constexpr std::size_t kWithCodes = 4;                     // of the entries
constexpr std::size_t kMostCodes = std::size_t{8} << 20;  // bytes that are copied of one segment for one filter
constexpr std::size_t kMostParts = 64;                    // of which those of segments that are gone may be many
constexpr std::size_t kMostChanges = 10'000;              // with more, evaluating all is not slower

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

FilteredPart FilteredRows::part(const LiveSegment& live) {
  const MutexLock lock(mutex_);
  FilteredPart& part = parts_[live.row.file];
  const Segment& segment = *live.segment;
  if (part.mask == nullptr) {
    auto made = std::make_shared<SlotMask>(segment.size(), SlotMask::Start::none);
    for (const std::int64_t row : rows_) {
      if (const auto slot = segment.slot_of(row)) made->include(*slot);
    }
    part.mask = std::move(made);
  }
  const std::size_t codes = part.mask->count() * segment.header().dimension;
  if (part.rows == nullptr && is_selective(part.mask->count(), segment.size()) && codes <= kMostCodes) {
    // Damage shows again in the search, which then says so.
    if (Result<GatheredRows> gathered = gather_rows(segment, *part.mask); gathered.ok())
      part.rows = std::make_shared<const GatheredRows>(*std::move(gathered));
  }
  return part;
}

FilteredParts FilteredRows::parts() {
  const MutexLock lock(mutex_);
  return parts_.size() <= kMostParts ? parts_ : FilteredParts();
}

void FilteredRows::forget_codes() {
  const MutexLock lock(mutex_);
  for (auto& [file, part] : parts_) part.rows.reset();
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
      found = std::make_shared<FilteredRows>(seq, updated(known->rows(), changes, TRY(evaluate(connection, scope))),
                                             known->parts());
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
  forget_old_codes();
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
  forget_old_codes();
}

void FilterCache::forget_old_codes() {
  std::size_t number = 0;
  for (const Entry& entry : entries_) {
    if (number++ >= kWithCodes) entry.rows->forget_codes();
  }
}

}  // namespace loci::embedded
