// A folder for tests that try what a disk keeps without trying the disk: in memory where that is possible, since there
// they are many times as fast, and see the same.
#pragma once

#include <utility>

#include "base/temporary_folder.h"

namespace loci {

inline TemporaryFolder fast_folder() {
  Result<TemporaryFolder> in_memory = TemporaryFolder::create_in("/dev/shm");
  return in_memory.ok() ? std::move(*in_memory) : TemporaryFolder();
}

}  // namespace loci
