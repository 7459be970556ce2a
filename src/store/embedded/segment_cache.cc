#include "store/embedded/segment_cache.h"

#include <set>
#include <system_error>

#include "base/file.h"

namespace loci::embedded {
namespace {

Error unusable(const std::filesystem::path& path, const std::string& why) {
  return {ErrorKind::corruption, path.string() + " cannot be used: " + why};
}

// Is this file the segment that the row means, of vectors as the collection has them now?
Status check_identity(const SegmentHeader& header, const CollectionRow& collection, const SegmentRow& row,
                      const std::string& palace, const std::filesystem::path& path) {
  if (header.palace != palace) return unusable(path, "it belongs to another palace");
  if (header.collection != collection.id) return unusable(path, "it belongs to another collection");
  if (header.model != collection.model.substr(0, kLongestModel))
    return unusable(path, "its vectors are of the model \"" + header.model + "\"");
  if (header.metric != collection.metric || header.dimension != collection.dimension)
    return unusable(path, "its metric or dimension is another one");
  if (header.generation != row.generation || header.rows != row.rows) return unusable(path, "it is another build");
  return {};
}

Result<std::shared_ptr<const SlotMask>> live_slots(Connection& connection, const SegmentRow& row) {
  if (row.dead == 0) return std::shared_ptr<const SlotMask>();
  auto live = std::make_shared<SlotMask>(row.rows, SlotMask::Start::all);
  for (const std::uint32_t slot : TRY(dead_slots(connection, row.id))) {
    if (slot < row.rows) live->exclude(slot);
  }
  return std::shared_ptr<const SlotMask>(std::move(live));
}

}  // namespace

bool SegmentCache::is_condemned(const std::string& file) const {
  const MutexLock lock(mutex_);
  return condemned_.contains(file);
}

void SegmentCache::condemn(const std::string& file) {
  // The mark is for other processes. Without it each of them finds the damage by itself.
  if (access_ == Access::read_write)
    static_cast<void>(write_file_atomically(folder_ / (file + std::string(kDamagedSuffix)), ""));
  const MutexLock lock(mutex_);
  condemned_.insert(file);
  open_.erase(file);
}

void SegmentCache::condemn_damaged(const std::vector<LiveSegment>& segments) {
  for (const LiveSegment& live : segments) {
    if (live.segment->is_intact()) continue;
    condemn(live.row.file);
    const MutexLock lock(mutex_);
    problems_[live.row.collection] = unusable(folder_ / live.row.file, "it is damaged").message;
  }
}

std::string SegmentCache::problem(std::int64_t collection) const {
  const MutexLock lock(mutex_);
  const auto found = problems_.find(collection);
  return found == problems_.end() ? "" : found->second;
}

Result<LiveSegment> SegmentCache::open_one(Connection& connection, const CollectionRow& collection,
                                           const SegmentRow& row, const std::string& palace) {
  Result<LiveSegment> live = usable(connection, collection, row, palace);
  if (!live.ok()) {
    const MutexLock lock(mutex_);
    problems_[collection.id] = live.error().message;
  }
  return live;
}

Result<LiveSegment> SegmentCache::usable(Connection& connection, const CollectionRow& collection, const SegmentRow& row,
                                         const std::string& palace) {
  const std::filesystem::path path = folder_ / row.file;
  if (is_condemned(row.file)) return unusable(path, "it is damaged");
  LiveSegment live;
  {
    const MutexLock lock(mutex_);
    if (const auto found = open_.find(row.file); found != open_.end()) live = found->second;
  }
  std::error_code ignored;
  const bool is_damaged = live.segment != nullptr
                              ? !live.segment->is_intact()
                              : std::filesystem::exists(path.string() + std::string(kDamagedSuffix), ignored);
  if (is_damaged) {
    condemn(row.file);
    return unusable(path, "it is damaged");
  }
  if (live.segment == nullptr) {
    Result<std::shared_ptr<const Segment>> opened = Segment::open(path);
    if (!opened.ok())
      return opened.error().kind == ErrorKind::not_found ? opened.error() : unusable(path, opened.error().message);
    live = {.row = {}, .segment = *std::move(opened), .live = nullptr};
  }
  TRY(check_identity(live.segment->header(), collection, row, palace, path));
  if (live.row.id != row.id || live.row.covered_seq != row.covered_seq || live.row.dead != row.dead)
    live.live = TRY(live_slots(connection, row));
  live.row = row;
  const MutexLock lock(mutex_);
  open_[row.file] = live;
  return live;
}

Result<std::vector<LiveSegment>> SegmentCache::open(Connection& connection, const CollectionRow& collection) {
  std::vector<LiveSegment> segments;
  const std::vector<SegmentRow> rows = TRY(list_segments(connection, collection.id));
  if (rows.empty()) {
    const MutexLock lock(mutex_);
    problems_.erase(collection.id);
    return segments;
  }
  const std::string palace = TRY(palace_identity(connection));
  std::set<std::string> files;
  for (const SegmentRow& row : rows) {
    segments.push_back(TRY(open_one(connection, collection, row, palace)));
    files.insert(row.file);
  }
  const MutexLock lock(mutex_);
  problems_.erase(collection.id);
  std::erase_if(open_, [&](const auto& entry) {
    return entry.second.row.collection == collection.id && !files.contains(entry.first);
  });
  return segments;
}

}  // namespace loci::embedded
