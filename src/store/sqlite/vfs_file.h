// Reading the bytes of a database file without disturbing the connections to it.
//
// POSIX drops all of a process's locks on a file when any descriptor of that file is closed. A plain open() and close()
// of a database in a process that also has a connection to it would take that connection's locks away, and another
// process could then damage it. SQLite's file layer knows of its connections and defers such a close, so
// a database file is never opened but through it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include <sqlite3.h>

#include "loci/result.h"
#include "loci/upkeep.h"

namespace loci::sqlite {

// A database file open for reading. Used by one thread at a time.
class VfsFile {
 public:
  static Result<VfsFile> open(const std::filesystem::path& path);

  Result<std::int64_t> size_bytes() const;
  // Bytes behind the end of the file read as zero.
  Status read(std::int64_t offset, std::span<std::uint8_t> into) const;

 private:
  struct Close {
    void operator()(sqlite3_file* file) const;
  };
  struct Free {
    void operator()(const char* name) const { sqlite3_free_filename(name); }
  };

  VfsFile() = default;

  std::filesystem::path path_;
  std::unique_ptr<const char, Free> name_;  // outlives the file
  std::unique_ptr<sqlite3_file, Close> file_;
};

// Copies a database file byte for byte; the target gets mode 0600. Errors: also unavailable when it is cancelled, which
// leaves the target as far as it came.
Status copy_database_file(const std::filesystem::path& from, const std::filesystem::path& to,
                          const IsCancelled& is_cancelled = {});

}  // namespace loci::sqlite
