// ImportBatch: the lines of an import that are stored together. For one thread.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loci/backend.h"
#include "loci/result.h"
#include "ops/import.h"
#include "ops/import_target.h"
#include "ops/record_line.h"
#include "store/contract.h"

namespace loci {

// One line on its way into the palace.
struct ImportItem {
  std::size_t line = 0;
  std::string collection = {};
  std::string id = {};  // as the line has it; the record may get another one
  RecordLine content = {};
  std::optional<ImportOutcome> outcome = {};
  std::string stored_id = {};
  std::string reason = {};

  void settle(ImportOutcome what, std::string known_as) {
    outcome = what;
    stored_id = std::move(known_as);
  }
  void refuse(std::string why) {
    outcome = ImportOutcome::refused;
    reason = std::move(why);
  }
};

// A line that cannot be read is there as well, refused already, so that outcomes can be told in the order of the file.
class ImportBatch {
 public:
  ImportBatch(Backend& backend, const ImportRequest& request);

  void add(ImportItem item, std::size_t bytes);
  bool is_full() const;
  std::span<const ImportItem> items() const { return items_; }
  void clear();

  // Stores the items, as if one after the other. Each then has an outcome; after an error those that were not reached
  // have none. What a backend refuses about single records becomes their outcome and is no error.
  Status store();

 private:
  using Items = std::vector<ImportItem*>;

  Status store_collection(const std::string& name, const Items& items);
  Result<ImportTarget*> target(const std::string& name, const RecordLine& first);
  Status store_distinct(ImportTarget& target, const Items& items);
  Status store_by_mode(ImportTarget& target, const Items& items);

  Backend& backend_;
  const ImportRequest& request_;
  const WriteLimits limits_;
  const std::size_t record_limit_;
  std::map<std::string, ImportTarget, std::less<>> targets_;
  std::vector<ImportItem> items_;
  std::size_t bytes_ = 0;
};

}  // namespace loci
