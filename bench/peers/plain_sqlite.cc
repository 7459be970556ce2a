#include "bench/peers/plain_sqlite.h"

#include <string>

#include "ops/json_text.h"

namespace loci::bench {
namespace {

void bind_text(sqlite3_stmt* statement, int at, const std::string& text) {
  sqlite3_bind_text64(statement, at, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

}  // namespace

Result<std::unique_ptr<PlainSqlite>> PlainSqlite::open(const std::filesystem::path& file,
                                                       std::chrono::milliseconds patience) {
  sqlite3* database = nullptr;
  const int code = sqlite3_open(file.c_str(), &database);
  std::unique_ptr<PlainSqlite> store(new PlainSqlite(database));
  if (code != SQLITE_OK) return Error{ErrorKind::io, "cannot open " + file.string()};
  sqlite3_busy_timeout(database, static_cast<int>(patience.count()));
  TRY(store->run("PRAGMA journal_mode = WAL"));
  TRY(store->run("PRAGMA synchronous = FULL"));
  TRY(store->run(
      "CREATE TABLE IF NOT EXISTS records (rowid INTEGER PRIMARY KEY, id TEXT UNIQUE, document TEXT, metadata TEXT, "
      "embedding BLOB)"));
  TRY(store->run("CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (document, content = '')"));
  sqlite3_prepare_v3(database, "INSERT INTO records (id, document, metadata, embedding) VALUES (?, ?, ?, ?)", -1,
                     SQLITE_PREPARE_PERSISTENT, &store->insert_row_, nullptr);
  sqlite3_prepare_v3(database, "INSERT INTO words (rowid, document) VALUES (?, ?)", -1, SQLITE_PREPARE_PERSISTENT,
                     &store->insert_words_, nullptr);
  if (store->insert_row_ == nullptr || store->insert_words_ == nullptr) return store->fail("prepare").error();
  return store;
}

PlainSqlite::~PlainSqlite() {
  sqlite3_finalize(insert_row_);
  sqlite3_finalize(insert_words_);
  sqlite3_close(database_);
}

Status PlainSqlite::fail(const char* what) {
  return Error{ErrorKind::io, std::string(what) + ": " + sqlite3_errmsg(database_)};
}

Status PlainSqlite::run(const char* sql) {
  return sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) == SQLITE_OK ? ok_status() : fail(sql);
}

Status PlainSqlite::insert_one(const Record& record) {
  std::string metadata;
  append_json_metadata(metadata, record.metadata);
  bind_text(insert_row_, 1, record.id);
  bind_text(insert_row_, 2, record.document);
  bind_text(insert_row_, 3, metadata);
  if (record.embedding) {
    sqlite3_bind_blob64(insert_row_, 4, record.embedding->data(), record.embedding->size() * sizeof(float),
                        SQLITE_STATIC);
  }
  const bool row_done = sqlite3_step(insert_row_) == SQLITE_DONE;
  sqlite3_reset(insert_row_);
  if (!row_done) return fail("insert");
  sqlite3_bind_int64(insert_words_, 1, sqlite3_last_insert_rowid(database_));
  bind_text(insert_words_, 2, record.document);
  const bool words_done = sqlite3_step(insert_words_) == SQLITE_DONE;
  sqlite3_reset(insert_words_);
  return words_done ? ok_status() : fail("insert words");
}

Status PlainSqlite::insert(std::span<const Record> records) {
  TRY(run("BEGIN IMMEDIATE"));
  for (const Record& record : records) TRY(insert_one(record));
  return run("COMMIT");
}

Result<std::size_t> PlainSqlite::count() {
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(database_, "SELECT count(*) FROM records", -1, &statement, nullptr);
  const bool has_row = statement != nullptr && sqlite3_step(statement) == SQLITE_ROW;
  const std::size_t rows = has_row ? static_cast<std::size_t>(sqlite3_column_int64(statement, 0)) : 0;
  sqlite3_finalize(statement);
  if (!has_row) return fail("count").error();
  return rows;
}

}  // namespace loci::bench
