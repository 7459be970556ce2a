// The segments that this process has open, so that a query need not open them again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "loci/result.h"
#include "store/embedded/catalog.h"
#include "store/embedded/segment_catalog.h"
#include "store/embedded/sqlite.h"
#include "vector/segment.h"
#include "vector/segment_search.h"

namespace loci::embedded {

// A segment with what the database says of it.
struct LiveSegment {
  SegmentRow row;
  std::shared_ptr<const Segment> segment;
  std::shared_ptr<const SlotMask> live;  // null: all slots are
};

// Many threads may use it at once.
class SegmentCache {
 public:
  explicit SegmentCache(const std::filesystem::path& palace) : folder_(palace / "index") {}

  const std::filesystem::path& folder() const { return folder_; }

  // The segments of the collection as this snapshot has them. Errors: not_found when a file is not there, as for a
  // snapshot that is older than the removal of the file; corruption, with the reason, for one that cannot be used.
  Result<std::vector<LiveSegment>> open(Connection& connection, const CollectionRow& collection) EXCLUDES(mutex_);
  // One of them. Errors: as above.
  Result<LiveSegment> open_one(Connection& connection, const CollectionRow& collection, const SegmentRow& row,
                               const std::string& palace) EXCLUDES(mutex_);

 private:
  const std::filesystem::path folder_;
  Mutex mutex_;
  std::map<std::string, LiveSegment> open_ GUARDED_BY(mutex_);  // by file name
};

}  // namespace loci::embedded
