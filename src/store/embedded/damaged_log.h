// SQLite takes the first bad frame of its log for the end of what was written: right after a crash, when the last
// transaction may be torn, and wrong when a bit of an older one flipped, since all that was acknowledged later is then
// dropped without a word. Each transaction is synced before the next begins, so the frames behind tell the two apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>

#include "loci/result.h"

namespace loci::embedded {

struct LogDamage {
  std::int64_t frame = 0;    // the first bad one, counted from 1; 0: the head of the log
  std::int64_t commits = 0;  // transactions from there on, as far as their frames are still known by
};

// Nothing for a log that is whole, is not there, ends in a torn transaction, or is being written. Reads only. Errors:
// io.
Result<std::optional<LogDamage>> find_log_damage(const std::filesystem::path& log);

// What a log adds to its file, by all transactions before the first bad frame.
struct LogPages {
  std::size_t page_bytes = 0;     // 0: it is not there, or is no log
  std::uint32_t total = 0;        // pages of the database after the last transaction; 0: there is none
  std::set<std::uint32_t> pages;  // those that the log has, by their number in the file, from 1
};

// Reads only. Errors: io.
Result<LogPages> read_log_pages(const std::filesystem::path& log);

}  // namespace loci::embedded
