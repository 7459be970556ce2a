// What a memory backend and its collections share. Only memory_backend.cc and memory_collection.cc include it.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "tests/conformance/memory_backend.h"

namespace loci::conformance {

struct StoredSource {
  std::optional<std::string> state = {};  // none: it was erased, or its records were never replaced
  Metadata shared = {};
  std::set<std::pair<std::string, std::int64_t>> erased = {};  // content hash and occurrence
};

struct StoredCollection {
  DistanceMetric metric = DistanceMetric::cosine;
  std::optional<std::size_t> dimension = {};
  std::string model = {};
  std::map<std::int64_t, Record> rows = {};                      // in insertion order
  std::map<std::string, std::int64_t, std::less<>> row_of = {};  // by id
  std::map<std::string, Change, std::less<>> changes = {};       // the latest of each id
  std::map<std::string, StoredSource, std::less<>> sources = {};
  std::int64_t last_row = 0;
  std::int64_t last_seq = 0;

  bool has_vectors() const;
  Record* find(std::string_view id);
  // The id of the record that has this key.
  std::optional<std::string> find_key(const UniqueKey& key) const;
  void note(ChangeKind kind, const std::string& id);
  void erase_row(std::int64_t row);
  // The rows of a source.
  std::vector<std::int64_t> rows_of(std::string_view source) const;
};

using StoredPalace = std::map<std::string, StoredCollection, std::less<>>;

class MemoryDisk {
 public:
  Mutex mutex;
  std::map<std::string, StoredPalace> palaces GUARDED_BY(mutex);
};

// One backend: what its collections need of it.
struct MemoryState {
  std::shared_ptr<MemoryDisk> disk;
  MemoryOptions options;
  std::atomic<bool> is_closed = false;

  bool has(Defect defect) const { return options.defect == defect; }
  // The isolation key of a palace: id and namespace.
  std::string palace_key(const PalaceRef& palace) const;
  Status check_open() const;
  Result<StoredPalace*> find_palace(const std::string& key) REQUIRES(disk->mutex);
  Result<StoredCollection*> find_collection(const std::string& key, std::string_view name) REQUIRES(disk->mutex);
};

// Brings one source to what it is now (memory_sources.cc).
SourceReport replace_source(StoredCollection& stored, const SourceUpdate& update);

std::shared_ptr<Collection> make_memory_collection(std::shared_ptr<MemoryState> state, std::string palace_key,
                                                   std::string name, const OpenOptions& options);

}  // namespace loci::conformance
