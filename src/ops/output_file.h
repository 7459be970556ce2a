// OutputFile: a file that is written in pieces and appears under its name only when it is complete.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "base/aside_folder.h"
#include "base/file.h"
#include "loci/result.h"

namespace loci {

enum class IfThere { fail, replace };

// For one thread. Unless it is published, an older file of that name stays and the unfinished one is removed.
class OutputFile {
 public:
  // A symbolic link is followed. A pipe, a device or the like is opened for writing as it is, and shows each piece at
  // once. Errors: io, not_found (no such folder), invalid_argument (the path is a folder, or a database that would be
  // lost), already_exists.
  static Result<OutputFile> create(const std::filesystem::path& path, IfThere if_there);

  Status write(std::string_view content);

  // Puts the complete file in its place, durably. Errors: io; already_exists, when another came there meanwhile.
  Status publish();

 private:
  OutputFile(std::filesystem::path path, IfThere if_there, std::optional<AsideFolder> aside, FileDescriptor file)
      : path_(std::move(path)), if_there_(if_there), aside_(std::move(aside)), file_(std::move(file)) {}

  std::filesystem::path path_;
  IfThere if_there_;
  std::optional<AsideFolder> aside_;  // holds the unfinished file; absent when `path_` is written to directly
  FileDescriptor file_;
};

}  // namespace loci
