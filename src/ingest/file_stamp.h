// What tells whether a file is the one that it was.
#pragma once

#include <cstdint>

#include <sys/stat.h>

namespace loci {

// What stat says of a file: two equal stamps mean that nobody wrote to it in between.
struct FileStamp {
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ns = 0;  // since 1970
  std::int64_t changed_ns = 0;   // of content, name or rights
  std::uint64_t inode = 0;

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

FileStamp stamp_of(const struct stat& status);

}  // namespace loci
