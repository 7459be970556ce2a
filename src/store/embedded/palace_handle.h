// A palace as its users hold it: always the one that is there now.
#pragma once

#include <filesystem>
#include <memory>

#include "base/mutex.h"
#include "loci/backend.h"
#include "loci/result.h"
#include "store/embedded/database.h"

namespace loci::embedded {

// Many threads may use it at once.
class PalaceHandle {
 public:
  PalaceHandle(std::filesystem::path folder, Access access, const IndexOptions& index)
      : folder_(std::move(folder)), access_(access), index_(index) {}

  // The open database, opened again when the palace was removed, replaced or re-created meanwhile.
  // Errors: backend_closed, and those of Database::open.
  Result<std::shared_ptr<Database>> database(IfMissing if_missing = IfMissing::fail) EXCLUDES(mutex_);

  // Lets go of the files; the next call opens them again.
  void release() EXCLUDES(mutex_);
  // As release(), and every later call is backend_closed.
  void close() EXCLUDES(mutex_);

 private:
  const std::filesystem::path folder_;
  const Access access_;
  const IndexOptions index_;

  Mutex mutex_;
  std::shared_ptr<Database> database_ GUARDED_BY(mutex_);
  bool is_closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace loci::embedded
