// A folder for work in progress, beside the file that it will become: on the same file system, so that the finished
// work gets its name by a link or a rename. It is gone when the object is. What a killed process left is removed by the
// next one that works beside it.
#pragma once

#include <filesystem>
#include <optional>

#include "base/file_lock.h"
#include "base/temporary_folder.h"
#include "loci/result.h"

namespace loci {

class AsideFolder {
 public:
  // Makes one in `parent` and removes those whose process is gone. Errors: not_found, io.
  static Result<AsideFolder> create_in(const std::filesystem::path& parent);

  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  AsideFolder(TemporaryFolder folder, LockFile lock) : folder_(std::move(folder)), lock_(std::move(lock)) {}

  TemporaryFolder folder_;
  LockFile lock_;  // held as long as the process lives: nobody else removes the folder
};

}  // namespace loci
