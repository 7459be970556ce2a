#include "store/embedded/palace_handle.h"

namespace loci::embedded {

Result<std::shared_ptr<Database>> PalaceHandle::database(IfMissing if_missing) {
  const MutexLock lock(mutex_);
  if (is_closed_) return Error{ErrorKind::backend_closed, "the backend is closed"};
  if (database_ && database_->is_stale()) database_.reset();
  if (!database_) database_ = TRY(Database::open(folder_, access_, if_missing, index_));
  return database_;
}

void PalaceHandle::release() {
  const MutexLock lock(mutex_);
  database_.reset();
}

void PalaceHandle::close() {
  const MutexLock lock(mutex_);
  database_.reset();
  is_closed_ = true;
}

}  // namespace loci::embedded
