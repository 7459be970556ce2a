// The palaces that a backend has open: one handle for each palace and each way in which it is used.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "base/mutex.h"
#include "loci/backend.h"
#include "loci/result.h"
#include "store/contract.h"

namespace loci {

// A Handle has release(), which lets go of its files until it is used again, and close(), which does so for good. Ways
// are what else tells handles of one folder apart, such as Access. Many threads may use it at once.
template <typename Handle, typename... Ways>
class PalaceHandles {
 public:
  ~PalaceHandles() { close(); }

  // The handle of this palace, made by make() when there is none yet. Errors: backend_closed, those of check_palace.
  template <typename Make>
  Result<std::shared_ptr<Handle>> get(const PalaceRef& palace, const BackendInfo& info, Ways... ways, const Make& make)
      EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (is_closed_) return Error{ErrorKind::backend_closed, "the backend is closed"};
    TRY(check_palace(palace, info));
    Key key{palace.id, *palace.local_path, ways...};
    if (const auto found = handles_.find(key); found != handles_.end()) return found->second;
    std::shared_ptr<Handle> handle = make();
    handles_.emplace(std::move(key), handle);
    return handle;
  }

  // Releases every handle of the palace.
  void release(const PalaceRef& palace) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    for (auto& [key, handle] : handles_) {  // no look-up: making a key takes memory, and closing must not
      const bool is_same_folder = palace.local_path && std::get<1>(key).native() == palace.local_path->native();
      if (std::get<0>(key) == palace.id && is_same_folder) handle->release();
    }
  }

  // Closes them all; there are none from now on.
  void close() EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    is_closed_ = true;
    for (auto& [key, handle] : handles_) handle->close();
    handles_.clear();
  }

 private:
  using Key = std::tuple<std::string, std::filesystem::path, Ways...>;

  Mutex mutex_;
  std::map<Key, std::shared_ptr<Handle>> handles_ GUARDED_BY(mutex_);
  bool is_closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace loci
