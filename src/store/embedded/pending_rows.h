// The queue of rows that wait for their vector. Any number of processes may work on it: a row is leased by a lock on
// the byte of that number in a file of its own, which the kernel gives back when the process dies in whatever way.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file_lock.h"
#include "loci/record.h"
#include "loci/result.h"
#include "store/embedded/sqlite.h"

namespace loci::embedded {

// Leases on rows, given back when the object is gone. For one thread.
class RowLeases {
 public:
  static Result<RowLeases> open(const std::filesystem::path& palace);

  // False: another process, or another RowLeases of this one, has it.
  [[nodiscard]] bool take(std::int64_t row) { return file_.try_lock(row); }

 private:
  explicit RowLeases(LockFile file) : file_(std::move(file)) {}

  LockFile file_;
};

// A row that waits, as it was read.
struct PendingRow {
  std::int64_t row = 0;
  std::int64_t seq = 0;
  std::string id = {};
  std::string text = {};
  bool is_damaged = false;  // the text is not the one that was stored, and is left out here
};

// Up to `limit` rows of the collection that wait and that nobody else has leased, oldest first.
Result<std::vector<std::int64_t>> lease_pending_rows(Connection& connection, std::int64_t collection, RowLeases& leases,
                                                     std::size_t limit);

// Runs `select` (seq, id, text and its checksum of the row ?1) for each of the rows; those it does not find are left
// out.
Result<std::vector<PendingRow>> read_rows(Statement& select, const std::vector<std::int64_t>& rows);

// Those of the rows that still wait.
Result<std::vector<PendingRow>> read_pending_rows(Connection& connection, const std::vector<std::int64_t>& rows);

// Stores the vector, unless the record was changed, removed or embedded since it was read; then false. Inside a write
// transaction.
Result<bool> store_pending_vector(Connection& connection, const PendingRow& row, const Embedding& vector);

// Lets a row whose text the embedder refuses, or whose text is damaged, wait no longer, as one whose vector is missing;
// false as above.
Result<bool> set_aside(Connection& connection, const PendingRow& row);

}  // namespace loci::embedded
