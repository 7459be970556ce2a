// Looks for conflicts without storing anything: the first pass of OnConflict::fail. For one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "loci/backend.h"
#include "loci/result.h"
#include "ops/import.h"
#include "ops/record_line.h"

namespace loci {

// Memory grows by a few dozen bytes for each line, and for each unique key that a collection has already.
class ConflictFinder {
 public:
  ConflictFinder(Backend& backend, const ImportRequest& request) : backend_(backend), request_(request) {}

  // Lines in the order of the file. Errors: already_exists for the first line in conflict, naming it; a conflict with
  // the palace may be told some lines later, and by finish() at the latest.
  Status add(std::size_t line, const std::string& collection, const Record& record);
  Status finish();

 private:
  struct WaitingRecord {
    std::size_t line;
    std::string id;
  };
  // A collection that lines are for. What stands in the sets are hashes of 128 bits.
  struct Seen {
    std::shared_ptr<Collection> collection;  // null: there is none yet
    std::unordered_set<std::string> ids;     // of earlier lines
    std::unordered_set<std::string> keys;    // of earlier lines and, once a line has a key, of the collection
    bool has_stored_keys = false;
    std::vector<WaitingRecord> waiting;  // to be looked up in the collection
  };

  Result<Seen*> seen(const std::string& name);
  Status look_up(const std::string& name, Seen& seen);
  Status load_stored_keys(Seen& seen);

  Backend& backend_;
  const ImportRequest& request_;
  std::map<std::string, Seen, std::less<>> collections_;
};

}  // namespace loci
