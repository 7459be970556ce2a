// OutputFile: a file that is written in pieces and appears under its name only when it is complete.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/file.h"
#include "loci/result.h"

namespace loci {

// For one thread. Unless it is published, an older file of that name stays and the unfinished one is removed.
class OutputFile {
 public:
  // A symbolic link is followed. A pipe, a device or the like is opened for writing as it is, and shows each piece at
  // once. Errors: io, not_found (no such folder), invalid_argument (the path is a folder).
  static Result<OutputFile> create(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  Status write(std::string_view content);

  // Puts the complete file in its place, durably.
  Status publish();

 private:
  OutputFile(std::filesystem::path path, std::filesystem::path temporary, FileDescriptor file)
      : path_(std::move(path)), temporary_(std::move(temporary)), file_(std::move(file)) {}

  std::filesystem::path path_;
  std::filesystem::path temporary_;  // empty when `path_` is written to directly
  FileDescriptor file_;
};

}  // namespace loci
