// A folder of our own (mode 0700) that is gone, with all it holds, when the object is.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include "loci/result.h"

namespace loci {

class TemporaryFolder {
 public:
  // In the system's folder for temporary files.
  static Result<TemporaryFolder> create();
  // In the given folder; the name begins with `prefix`.
  static Result<TemporaryFolder> create_in(const std::filesystem::path& parent, std::string_view prefix = "loci-");

  // For tests: like create(), but throws std::runtime_error when that fails.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;  // empty after a move
};

}  // namespace loci
