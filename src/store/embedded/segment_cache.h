// The segments that this process has open, so that a query need not open them again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "loci/backend.h"
#include "loci/result.h"
#include "store/embedded/catalog.h"
#include "store/embedded/segment_catalog.h"
#include "store/embedded/sqlite.h"
#include "vector/segment.h"
#include "vector/segment_search.h"

namespace loci::embedded {

// Beside a segment that was found damaged lies an empty file of its name and this ending. Who builds the index removes
// it with the segment.
inline constexpr std::string_view kDamagedSuffix = ".damaged";

// A segment with what the database says of it.
struct LiveSegment {
  SegmentRow row;
  std::shared_ptr<const Segment> segment;
  std::shared_ptr<const SlotMask> live;  // null: all slots are
};

// Many threads may use it at once.
class SegmentCache {
 public:
  SegmentCache(const std::filesystem::path& palace, Access access) : folder_(palace / "index"), access_(access) {}

  const std::filesystem::path& folder() const { return folder_; }

  // The segments of the collection as this snapshot has them. Errors: not_found when a file is not there, as for a
  // snapshot that is older than the removal of the file; corruption, with the reason, for one that cannot be used.
  Result<std::vector<LiveSegment>> open(Connection& connection, const CollectionRow& collection) EXCLUDES(mutex_);
  // One of them. Errors: as above.
  Result<LiveSegment> open_one(Connection& connection, const CollectionRow& collection, const SegmentRow& row,
                               const std::string& palace) EXCLUDES(mutex_);

  // Whoever has found one of them damaged while reading says so: it is not opened again, by this process nor, where it
  // may write, by others, and the next builder makes it anew.
  void condemn_damaged(const std::vector<LiveSegment>& segments) EXCLUDES(mutex_);

  // Why the collection's segments could not be used when that was last tried; empty: they could, or there are none.
  std::string problem(std::int64_t collection) const EXCLUDES(mutex_);

 private:
  Result<LiveSegment> usable(Connection& connection, const CollectionRow& collection, const SegmentRow& row,
                             const std::string& palace) EXCLUDES(mutex_);
  bool is_condemned(const std::string& file) const EXCLUDES(mutex_);
  void condemn(const std::string& file) EXCLUDES(mutex_);

  const std::filesystem::path folder_;
  const Access access_;
  mutable Mutex mutex_;
  std::map<std::string, LiveSegment> open_ GUARDED_BY(mutex_);       // by file name
  std::set<std::string> condemned_ GUARDED_BY(mutex_);               // file names, which are never used twice
  std::map<std::int64_t, std::string> problems_ GUARDED_BY(mutex_);  // by collection
};

}  // namespace loci::embedded
