// Writing files of our own, as few operations as an index needs, so that a test can pass a disk that fails or loses its
// power.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "loci/result.h"

namespace loci {

// A new file; for one thread.
class NewFile {
 public:
  virtual ~NewFile() = default;
  virtual Status write_at(std::size_t offset, std::span<const std::uint8_t> bytes) = 0;
  // Makes the content survive a crash of the machine.
  virtual Status sync() = 0;
};

// Many threads may use it at once. The errors are those of io_error().
class FileLayer {
 public:
  virtual ~FileLayer() = default;
  // Mode 0600. Errors: a file of that name is there.
  virtual Result<std::unique_ptr<NewFile>> create(const std::filesystem::path& path) = 0;
  virtual Status rename(const std::filesystem::path& from, const std::filesystem::path& to) = 0;
  // One that is not there is no error.
  virtual Status remove(const std::filesystem::path& path) = 0;
  // As loci::sync_folder() and make_private_folder().
  virtual Status sync_folder(const std::filesystem::path& folder) = 0;
  virtual Status make_folder(const std::filesystem::path& folder) = 0;
};

// The real one.
FileLayer& system_files();

}  // namespace loci
