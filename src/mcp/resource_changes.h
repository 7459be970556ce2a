// Which resources an operation changed: found out by looking at drawers before and after it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "api/json.h"
#include "api/operation.h"
#include "base/function_ref.h"
#include "base/mutex.h"
#include "loci/result.h"

namespace loci::mcp {

// Can the operation add, change or remove drawers?
bool changes_drawers(const Operation& operation);

// The rooms that had drawers when a call last looked, so that one more text in one of them asks nothing. Looking costs
// as much as the room is large. Many threads may use it at once.
class FilledRooms {
 public:
  using Uri = std::vector<std::string>;  // as parse_uri gives it

  bool has(const Uri& room) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return rooms_.contains(room);
  }
  void note(const Uri& room, bool is_filled) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (is_filled) {
      rooms_.insert(room);
    } else {
      rooms_.erase(room);
    }
  }

 private:
  Mutex mutex_;
  std::set<Uri> rooms_ GUARDED_BY(mutex_);
};

// Of one call of such an operation. For one thread.
class ResourceChanges {
 public:
  // How to read: the name of an operation and its fields.
  using Read = FunctionRef<Result<Answer>(std::string_view operation, Json fields)>;

  // Before the operation runs, while its drawers are still where they were.
  ResourceChanges(const Operation& operation, const Json& fields, Read read);
  // After it. What failed may have changed a part.
  void finish(const Result<Answer>& answer, Read read, FilledRooms& filled);

  // May the resource have changed? Not exact where an operation is about many drawers: then all may have.
  bool touches(const std::string& uri) const;
  bool is_empty() const { return !is_everything_ && uris_.empty(); }
  // Did a wing or room come or go, as far as is known? What other processes remove is not.
  bool changes_list() const { return changes_list_; }

 private:
  void touch(const Json& drawer);

  const bool only_adds_;
  bool is_dry_run_ = false;
  bool is_everything_ = false;
  bool changes_list_ = false;
  std::set<std::vector<std::string>> uris_;  // as parse_uri gives them
};

}  // namespace loci::mcp
