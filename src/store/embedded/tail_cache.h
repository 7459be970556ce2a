// The tail of a collection: what changed after its segments were built. A query measures all of it, so that a process
// keeps it in memory and reads only what has changed since it last looked.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "loci/record.h"
#include "loci/result.h"
#include "store/embedded/segment_catalog.h"
#include "store/embedded/sqlite.h"

namespace loci::embedded {

struct TailRow {
  std::int64_t row = 0;
  std::string id = {};
  Embedding vector = {};
};

// As one snapshot has it.
struct Tail {
  std::int64_t covered_seq = 0;  // that of the segments
  std::int64_t seq = 0;          // the last change
  Changes changes = {};
  // The written rows that have a vector, by row; nothing when there are too many to be kept.
  std::optional<std::vector<std::shared_ptr<const TailRow>>> rows = std::nullopt;
};

// Many threads may use it at once.
class TailCache {
 public:
  // Errors: corruption of a stored vector.
  Result<std::shared_ptr<const Tail>> tail(Connection& connection, std::int64_t collection, std::size_t dimension,
                                           std::int64_t covered_seq) EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  std::map<std::int64_t, std::shared_ptr<const Tail>> tails_ GUARDED_BY(mutex_);  // by collection
};

}  // namespace loci::embedded
