// The yardstick for what a disk and SQLite can do: one table and one FTS5 index, WAL, synchronous=FULL, one transaction
// a batch. No ids outside, no filters, no vector search: what a store adds on top of this is its own cost.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <span>

#include <sqlite3.h>

#include "loci/record.h"
#include "loci/result.h"

namespace loci::bench {

class PlainSqlite {
 public:
  // Makes the tables when they are missing. `patience` is SQLite's own busy timeout.
  static Result<std::unique_ptr<PlainSqlite>> open(const std::filesystem::path& file,
                                                   std::chrono::milliseconds patience = {});
  ~PlainSqlite();
  PlainSqlite(const PlainSqlite&) = delete;
  PlainSqlite& operator=(const PlainSqlite&) = delete;

  // Durable when it returns.
  Status insert(std::span<const Record> records);
  Result<std::size_t> count();

 private:
  explicit PlainSqlite(sqlite3* database) : database_(database) {}

  Status run(const char* sql);
  Status fail(const char* what);
  Status insert_one(const Record& record);

  sqlite3* database_;
  sqlite3_stmt* insert_row_ = nullptr;
  sqlite3_stmt* insert_words_ = nullptr;
};

}  // namespace loci::bench
