#include "base/file_lock.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>

namespace loci {
namespace {

struct flock range(short type, off_t offset, off_t length) {
  struct flock lock {};  // l_pid must be 0 for these locks
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = offset;
  lock.l_len = length;
  return lock;
}

int control(int descriptor, int command, struct flock& lock) {
  int result;
  do {
    result = ::fcntl(descriptor, command, &lock);
  } while (result < 0 && errno == EINTR);
  return result;
}

}  // namespace

Result<LockFile> LockFile::open(const std::filesystem::path& path) { return open(path, O_RDWR | O_CREAT); }

Result<LockFile> LockFile::open_to_look(const std::filesystem::path& path) { return open(path, O_RDONLY); }

Result<LockFile> LockFile::open(const std::filesystem::path& path, int flags) {
  int descriptor;
  do {
    descriptor = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) return io_error("cannot open the lock file", path, errno);
  LockFile file{FileDescriptor(descriptor)};

  struct flock question = range(F_WRLCK, 0, 1);
  if (control(descriptor, F_OFD_GETLK, question) != 0) return io_error("cannot lock", path, errno);
  return file;
}

bool LockFile::try_lock(off_t offset, off_t length) {
  struct flock lock = range(F_WRLCK, offset, length);
  return control(file_.get(), F_OFD_SETLK, lock) == 0;
}

void LockFile::unlock(off_t offset, off_t length) {
  struct flock lock = range(F_UNLCK, offset, length);
  control(file_.get(), F_OFD_SETLK, lock);
}

std::optional<off_t> LockFile::first_locked(off_t from) const {
  // The kernel names some lock in the range, not the lowest: ask again below it until nothing is left.
  std::optional<off_t> lowest;
  off_t length = 0;
  do {
    struct flock question = range(F_WRLCK, from, length);
    if (control(file_.get(), F_OFD_GETLK, question) != 0 || question.l_type == F_UNLCK) break;
    lowest = std::max(from, question.l_start);
    length = *lowest - from;
  } while (length > 0);
  return lowest;
}

}  // namespace loci
