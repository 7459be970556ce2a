// A file mapped for reading that may be cut off by somebody else while we read it. Reading a page that is no longer
// there is a signal, SIGBUS, which as a rule ends the process; for these mappings the page reads as zeros instead, and
// the mapping says afterwards that it is not whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "base/file.h"
#include "loci/result.h"

namespace loci {

// Many threads may read it at once. The first one that is opened takes the process's handler of SIGBUS, which passes on
// what is not ours to the handler that was there.
class GuardedFile {
 public:
  // Errors: not_found, invalid_argument (not a regular file, or empty), io.
  static Result<std::unique_ptr<GuardedFile>> open(const std::filesystem::path& path);
  GuardedFile(const GuardedFile&) = delete;
  GuardedFile& operator=(const GuardedFile&) = delete;
  ~GuardedFile();

  std::span<const std::uint8_t> bytes() const { return {data_, size_}; }

  // Gives the pages back that were read until now, which count as the process's own; they come again when they are
  // needed. For those who read a large file once.
  void let_go() const;

  // Was everything that was read until now really in the file? Asked after reading, before what was read is used.
  bool is_whole() const;

 private:
  GuardedFile(FileDescriptor file, const std::uint8_t* data, std::size_t size, std::size_t slot)
      : file_(std::move(file)), data_(data), size_(size), slot_(slot) {}

  const FileDescriptor file_;
  const std::uint8_t* const data_;
  const std::size_t size_;
  const std::size_t slot_;  // in the table that the handler reads
};

}  // namespace loci
