// A thin, typed view of the SQLite C interface: connections, prepared statements, transactions.
//
// Every failure becomes an Error whose kind a caller can act on (busy, io, corruption, …). Nothing here knows of
// records; nothing outside src/store knows of SQLite.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <sqlite3.h>

#include "loci/result.h"

namespace loci::sqlite {

class Connection;

// A prepared statement on loan from its connection's cache; goes back there when it is destroyed.
// Bound text and blobs are not copied: they must live until the statement is reset or destroyed.
class Statement {
 public:
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  Statement& bind(int index, std::int64_t value);
  Statement& bind(int index, double value);
  Statement& bind(int index, std::string_view text);
  Statement& bind_blob(int index, std::span<const std::uint8_t> blob);
  Statement& bind_null(int index);
  // What a column of another one's row has, of any type; it is copied.
  Statement& bind_column(int index, const Statement& row, int column);
  Statement& bind_pointer(int index, const void* pointer, const char* type);  // `type` is a string literal

  // True: there is a row to read. False: done.
  Result<bool> step();
  // Steps to the end, then resets for the next binding.
  Status run();
  void reset();

  bool is_null(int column) const;
  bool is_blob(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  // Valid until the next step.
  std::string_view text(int column) const;
  std::span<const std::uint8_t> blob(int column) const;

 private:
  friend class Connection;
  friend class Transaction;
  Statement(Connection& connection, sqlite3_stmt* statement) : connection_(&connection), statement_(statement) {}

  Connection* connection_;
  sqlite3_stmt* statement_;
  int bind_error_ = SQLITE_OK;
};

// read_only changes no byte, and waits for writers as any reader does; where a journal must be rolled back first it
// fails. immutable takes no lock at all: for files that nobody writes.
enum class OpenMode { read_write, read_write_create, read_only, immutable };

// One SQLite connection. Used by one thread at a time.
class Connection {
 public:
  static Result<std::unique_ptr<Connection>> open(const std::filesystem::path& file, OpenMode mode);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  Result<Statement> prepare(std::string_view sql);
  // Runs one or more statements that return nothing.
  Status execute(std::string_view sql);
  // The first column of the first row, or not_found.
  Result<std::int64_t> query_integer(std::string_view sql);
  Result<std::string> query_text(std::string_view sql);

  // What the last call failed with; `what` says what was tried.
  Error error(std::string_view what);
  Error error(int code, std::string_view what);
  // Did any call fail because the file is damaged, or no database?
  bool has_met_damage() const { return has_met_damage_; }
  // Did the last call fail because a journal is there that must be rolled back, which a reader may not do?
  bool needs_rollback() const;

  // Closing the last connection must not move the log into the database: for files that we refuse to touch.
  void keep_log_on_close();

  sqlite3* handle() const { return handle_; }
  bool is_in_transaction() const;
  std::int64_t changes() const { return sqlite3_changes64(handle_); }

 private:
  friend class Statement;
  explicit Connection(sqlite3* handle, std::filesystem::path file) : handle_(handle), file_(std::move(file)) {}
  void give_back(sqlite3_stmt* statement) noexcept;
  bool keep(sqlite3_stmt* statement) noexcept;

  sqlite3* handle_;
  std::filesystem::path file_;
  bool has_met_damage_ = false;
  std::unordered_map<std::string_view, std::vector<sqlite3_stmt*>> idle_;  // by sqlite3_sql(), which they own
};

// Rolls back on destruction unless committed.
class Transaction {
 public:
  enum class Kind { read, write };
  static Result<Transaction> begin(Connection& connection, Kind kind);
  Transaction(Transaction&& other) noexcept
      : connection_(std::exchange(other.connection_, nullptr)), rollback_(std::move(other.rollback_)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  Status commit();

 private:
  Transaction(Connection& connection, Statement rollback) : connection_(&connection), rollback_(std::move(rollback)) {}
  Connection* connection_;
  Statement rollback_;  // ready, since the destructor must not need memory; parsing it anew costs as much as a read
};

// SQLite initializes itself, but by flags that another thread may be writing at that moment; after this call they are
// set.
void initialize_sqlite();

// The version of the library in use, such as "3.53.4".
std::string sqlite_version();
// Refuses libraries in which two processes that write and checkpoint in the same instant can damage the database.
Status check_sqlite_version();

}  // namespace loci::sqlite
