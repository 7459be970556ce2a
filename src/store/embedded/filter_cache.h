// Which rows of the segments pass a filter. A filter is evaluated by SQL over all rows once; after that only what has
// changed since is looked at again, so that the same filter makes the next search faster, not slower.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "loci/filter.h"
#include "loci/result.h"
#include "store/embedded/segment_cache.h"
#include "store/embedded/sqlite.h"

namespace loci::embedded {

// Which slots of a segment pass. Holds for as long as the segment does: a row that changes leaves its slot dead.
struct FilteredPart {
  std::shared_ptr<const SlotMask> mask;
  std::shared_ptr<const GatheredRows> rows;  // of the mask, when they are few
};
using FilteredParts = std::map<std::string, FilteredPart>;  // by the segment's file

// The rows that pass, at one change of the palace. Constant but for the parts, which are made when they are asked for.
class FilteredRows {
 public:
  FilteredRows(std::int64_t seq, std::vector<std::int64_t> rows, FilteredParts parts = {})
      : seq_(seq), rows_(std::move(rows)), parts_(std::move(parts)) {}

  std::int64_t seq() const { return seq_; }
  const std::vector<std::int64_t>& rows() const { return rows_; }  // ascending
  bool has(std::int64_t row) const { return std::binary_search(rows_.begin(), rows_.end(), row); }
  FilteredPart part(const LiveSegment& segment) EXCLUDES(mutex_);
  FilteredParts parts() EXCLUDES(mutex_);
  // Lets go of copied codes.
  void forget_codes() EXCLUDES(mutex_);

 private:
  const std::int64_t seq_;
  const std::vector<std::int64_t> rows_;
  Mutex mutex_;
  FilteredParts parts_ GUARDED_BY(mutex_);
};

// Many threads may use it at once.
class FilterCache {
 public:
  // As this snapshot has it.
  Result<std::shared_ptr<FilteredRows>> rows(Connection& connection, std::int64_t collection, const Filter& where,
                                             const DocumentFilter& where_document) EXCLUDES(mutex_);

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<FilteredRows> rows;
  };
  std::shared_ptr<FilteredRows> find(const std::string& key) EXCLUDES(mutex_);
  void keep(const std::string& key, std::shared_ptr<FilteredRows> rows) EXCLUDES(mutex_);
  void forget_old_codes() REQUIRES(mutex_);

  Mutex mutex_;
  std::list<Entry> entries_ GUARDED_BY(mutex_);  // the one used last comes first
};

}  // namespace loci::embedded
