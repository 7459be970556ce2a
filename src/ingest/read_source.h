// Reads a file of a tree that others may change at the same time.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "ingest/file_walk.h"

namespace loci {

struct FileBytes {
  std::string bytes;
  FileStamp stamp;  // of the file as it was when these bytes were in it
};

// The bytes, or why there are none. A file that only grows meanwhile gives what it had at first; one that changes
// otherwise is read again, a few times.
std::variant<FileBytes, PassedOver> read_source(const std::string& path, std::uint64_t max_bytes);

}  // namespace loci
