// Locks on bytes of a file that belong to the open file (open-file-description locks), not to the process: two of them
// in one process exclude each other, closing one leaves the other alone, and the kernel releases them when the process
// dies in whatever way. The bytes need not exist; the file stays empty.
#pragma once

#include <filesystem>
#include <optional>
#include <utility>

#include <sys/types.h>

#include "base/file.h"
#include "loci/result.h"

namespace loci {

// Many threads may use one LockFile, but its locks do not exclude each other: for that each thread opens its own.
class LockFile {
 public:
  // Opens the file, making it (mode 0600) when it is missing. Errors: those of open(2), and io where the file system
  // has no such locks, so that a later `false` always means that somebody else has the lock.
  static Result<LockFile> open(const std::filesystem::path& path);

  // Opens a file that is there, only to ask who has locked what: nothing is created, and try_lock always fails.
  // Errors: not_found, io.
  static Result<LockFile> open_to_look(const std::filesystem::path& path);

  // Takes an exclusive lock on the bytes unless another open file has one that overlaps. Never waits. A length of 0
  // means up to infinity.
  [[nodiscard]] bool try_lock(off_t offset, off_t length = 1);

  // Releases what this LockFile holds there; no effect on what it does not hold.
  void unlock(off_t offset, off_t length = 1);

  // The lowest byte at or after `from` that another open file has locked. Own locks are not seen.
  std::optional<off_t> first_locked(off_t from) const;

 private:
  static Result<LockFile> open(const std::filesystem::path& path, int flags);
  explicit LockFile(FileDescriptor file) : file_(std::move(file)) {}

  FileDescriptor file_;
};

}  // namespace loci
