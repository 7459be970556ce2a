// The right to maintain a palace: one process at a time has it, and everyone can see who.
//
// It is a lock on a byte of maintenance.lock, so it is free exactly when its holder has let go or is dead; no clock
// decides. A second byte is locked once the file says what runs: who sees that lock reads the words of the holder and
// not those of somebody who died before it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/file_lock.h"
#include "loci/result.h"

namespace loci::embedded {

class MaintenanceLease {
 public:
  // Nothing: somebody else has it. Errors: io.
  static Result<std::optional<MaintenanceLease>> take(const std::filesystem::path& palace, std::string_view kind);

 private:
  explicit MaintenanceLease(LockFile lock) : lock_(std::move(lock)) {}

  LockFile lock_;  // closing it lets go
};

struct RunningMaintenance {
  std::string kind;          // empty: it has just begun
  std::int64_t process = 0;  // its number
  std::int64_t since = 0;    // Unix milliseconds
};

// What runs now; nothing when nothing does. Creates no file. Errors: io.
Result<std::optional<RunningMaintenance>> running_maintenance(const std::filesystem::path& palace);

}  // namespace loci::embedded
