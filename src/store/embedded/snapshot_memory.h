// What a connection has read of one state of the palace, so that the next reader of the very same state need not read
// it again: how many records there are, where common words stand, how long texts are.
//
// SQLite counts the changes that a connection sees, by whomever they were made (SQLITE_FCNTL_DATA_VERSION). While the
// count stays, so does everything that a read transaction reads; with the first change all is forgotten. Nothing is
// read for the sake of being kept, so a palace that always changes loses nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/embedded/postings.h"
#include "store/embedded/sqlite.h"

namespace loci::embedded {

// The number of words of each text, by row, without gaps; kNoText where there is none.
struct TextSizes {
  static constexpr std::uint32_t kNoText = 0xFFFF'FFFF;

  bool has(std::int64_t first_row, std::int64_t last_row) const {
    return !words.empty() && first_row >= first && last_row - first < static_cast<std::int64_t>(words.size());
  }

  std::int64_t first = 0;
  std::vector<std::uint32_t> words;
};

struct CollectionMemory {
  std::optional<std::size_t> records;
  std::optional<std::size_t> pending;
  std::optional<std::size_t> missing;

  std::optional<WordTotals> totals;
  std::map<std::string, PostingList, std::less<>> common_words;  // by the term
  std::size_t kept_postings = 0;
  TextSizes sizes;
};

class SnapshotMemory {
 public:
  // Of this connection and the snapshot that its read transaction has; null where there is none, as for a writer, who
  // changes what would be remembered. Valid until the transaction ends.
  static CollectionMemory* of(Connection& connection, std::int64_t collection);

  // Makes the memory of a connection; returns SQLite's result code.
  static int prepare(sqlite3* handle);

 private:
  std::optional<unsigned> version_;
  std::map<std::int64_t, CollectionMemory> collections_;
};

}  // namespace loci::embedded
