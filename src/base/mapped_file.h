// A whole file mapped into memory for reading. Processes that map the same file share its pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

#include "loci/result.h"

namespace loci {

// Unmaps on destruction; empty after a move. Many threads may read the bytes at once.
class MappedFile {
 public:
  // Errors: not_found, invalid_argument (a folder, pipe or device), io. An empty file has no bytes and is no error.
  static Result<MappedFile> open(const std::filesystem::path& path);

  MappedFile(MappedFile&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    if (this != &other) {
      unmap();
      data_ = std::exchange(other.data_, nullptr);
      size_ = std::exchange(other.size_, 0);
    }
    return *this;
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() { unmap(); }

  // The length is that of the file when it was opened.
  std::span<const std::uint8_t> bytes() const { return {data_, size_}; }

 private:
  MappedFile(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  void unmap();

  const std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace loci
