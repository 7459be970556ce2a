#include "store/embedded/schema.h"

#include <array>
#include <string>

#include "base/clock.h"
#include "base/random.h"
#include "store/embedded/duplicates.h"
#include "text/tokenizer.h"

namespace loci::embedded {
namespace {

// `records` holds what filters and lists look at and stays small; texts and vectors have tables of their own, so that
// a scan over metadata does not drag them through the cache. Row numbers are never used twice: a stale index could
// otherwise name a new record.
constexpr std::string_view kTables = R"sql(
CREATE TABLE palace(
  key TEXT PRIMARY KEY,
  value ANY
) STRICT, WITHOUT ROWID;

CREATE TABLE collections(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  metric TEXT NOT NULL,
  dimension INTEGER,
  model TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE sources(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  collection INTEGER NOT NULL,
  name TEXT NOT NULL,
  metadata BLOB NOT NULL,
  checksum INTEGER NOT NULL,
  UNIQUE(collection, name)
) STRICT;

CREATE TABLE places(
  id INTEGER PRIMARY KEY,
  wing TEXT,
  room TEXT
) STRICT;
CREATE INDEX places_by_name ON places(wing, room);

CREATE TABLE records(
  row INTEGER PRIMARY KEY AUTOINCREMENT,
  collection INTEGER NOT NULL,
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  source INTEGER,
  content_hash BLOB,
  occurrence INTEGER,
  place INTEGER,
  embedded INTEGER NOT NULL,
  use_count INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  metadata BLOB NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;

CREATE TABLE documents(
  row INTEGER PRIMARY KEY,
  checksum INTEGER NOT NULL,
  text TEXT NOT NULL
) STRICT;

CREATE TABLE vectors(
  row INTEGER PRIMARY KEY,
  checksum INTEGER NOT NULL,
  embedding BLOB NOT NULL
) STRICT;

CREATE TABLE links(
  row INTEGER NOT NULL,
  kind TEXT NOT NULL,
  target TEXT NOT NULL,
  PRIMARY KEY(row, kind, target)
) STRICT, WITHOUT ROWID;
CREATE INDEX links_by_target ON links(target);

CREATE TABLE deletions(
  seq INTEGER PRIMARY KEY,
  collection INTEGER NOT NULL,
  row INTEGER NOT NULL,
  id TEXT NOT NULL
) STRICT;
CREATE INDEX deletions_by_id ON deletions(collection, id);

CREATE TABLE migrations(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  what TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;
)sql";

// A re-embedding under way (next_vectors.h).
constexpr std::string_view kReembeddingTables = R"sql(
CREATE TABLE next_models(
  collection INTEGER PRIMARY KEY,
  model TEXT NOT NULL,
  dimension INTEGER,
  started_at INTEGER NOT NULL
) STRICT;

CREATE TABLE next_vectors(
  row INTEGER PRIMARY KEY,
  checksum INTEGER NOT NULL,
  embedding BLOB NOT NULL
) STRICT;
)sql";

// What mining notes with a source to tell later whether it changed, and the keys of the records that a
// user erased, so that mining does not bring them back.
constexpr std::string_view kSourceTables = R"sql(
CREATE TABLE source_states(
  source INTEGER PRIMARY KEY,
  state TEXT NOT NULL
) STRICT;

CREATE TABLE erased_keys(
  source INTEGER NOT NULL,
  content_hash BLOB NOT NULL,
  occurrence INTEGER NOT NULL,
  PRIMARY KEY(source, content_hash, occurrence)
) STRICT, WITHOUT ROWID;
)sql";

// The published pieces of the vector index; segment_catalog.h says what they mean.
constexpr std::string_view kSegments = R"sql(
CREATE TABLE segments(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  collection INTEGER NOT NULL,
  file TEXT NOT NULL UNIQUE,
  generation INTEGER NOT NULL,
  covered_seq INTEGER NOT NULL,
  rows INTEGER NOT NULL,
  dead BLOB NOT NULL
) STRICT;
)sql";

// Indexes of `records`. Each is made again on open when it is missing; the unique ones first mend what they forbid. Of
// the hash in the unique key the first 16 bytes are enough to tell texts apart; row numbers stand in every index by
// themselves.
struct RecordIndex {
  std::string_view name;
  std::string_view sql;
};
constexpr std::array kRecordIndexes = {
    RecordIndex{"records_by_id", "CREATE UNIQUE INDEX records_by_id ON records(collection, id)"},
    RecordIndex{"records_by_key",
                "CREATE UNIQUE INDEX records_by_key ON records(source, substr(content_hash, 1, 16), occurrence) "
                "WHERE source IS NOT NULL"},
    RecordIndex{"records_by_seq", "CREATE UNIQUE INDEX records_by_seq ON records(seq)"},
    RecordIndex{"records_by_place", "CREATE INDEX records_by_place ON records(collection, place)"},
    RecordIndex{"records_pending", "CREATE INDEX records_pending ON records(collection) WHERE embedded = 0"},
    RecordIndex{"records_missing", "CREATE INDEX records_missing ON records(collection) WHERE embedded = 2"},
};

Result<bool> has_index(Connection& connection, std::string_view name) {
  Statement statement = TRY(connection.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?1"));
  statement.bind(1, name);
  return statement.step();
}

Result<bool> lacks_an_index(Connection& connection) {
  for (const RecordIndex& index : kRecordIndexes) {
    const bool there = TRY(has_index(connection, index.name));
    if (!there) return true;
  }
  return false;
}

Status make_missing_indexes(Connection& connection) {
  for (const RecordIndex& index : kRecordIndexes) {
    const bool there = TRY(has_index(connection, index.name));
    if (there) continue;
    if (index.name == "records_by_id") TRY(merge_duplicates(connection, DuplicatesBy::id));
    if (index.name == "records_by_key") {
      TRY(merge_duplicates(connection, DuplicatesBy::unique_key));
      TRY(separate_similar_keys(connection));
    }
    TRY(connection.execute(index.sql));
  }
  return {};
}

Status create_schema(Connection& connection) {
  for (const std::string_view tables : {kTables, kReembeddingTables, kSourceTables, kSegments})
    TRY(connection.execute(tables));
  for (const RecordIndex& index : kRecordIndexes) TRY(connection.execute(index.sql));
  Statement insert = TRY(connection.prepare("INSERT INTO palace(key, value) VALUES (?1, ?2)"));
  const std::string palace_id = random_hex(16);
  TRY(insert.bind(1, "palace_id").bind(2, palace_id).run());
  TRY(insert.bind(1, "created_at").bind(2, now_unix_ms()).run());
  TRY(insert.bind(1, "seq").bind(2, std::int64_t{0}).run());
  TRY(insert.bind(1, "tokenizer_version").bind(2, std::int64_t{kTokenizerVersion}).run());
  TRY(connection.execute("PRAGMA application_id = " + std::to_string(kApplicationId)));
  return connection.execute("PRAGMA user_version = " + std::to_string(kSchemaVersion));
}

Result<bool> has_old_words(Connection& connection) {
  const Result<std::int64_t> version =
      connection.query_integer("SELECT value FROM palace WHERE key = 'tokenizer_version'");
  if (!version.ok() && version.error().kind != ErrorKind::not_found) return version.error();
  return !version.ok() || *version != kTokenizerVersion;
}

// Builds every word index again from the rows, which are the truth.
Status rebuild_words(Connection& connection) {
  std::vector<std::int64_t> collections;
  {
    Statement select = TRY(connection.prepare("SELECT id FROM collections"));
    while (TRY(select.step())) collections.push_back(select.integer(0));
  }
  for (const std::int64_t collection : collections) {
    TRY(connection.execute("DROP TABLE IF EXISTS " + words_table(collection)));
    TRY(create_words_table(connection, collection));
    TRY(connection.execute("INSERT INTO " + words_table(collection) +
                           "(rowid, text) SELECT d.row, d.text FROM documents d JOIN records r ON r.row = d.row WHERE "
                           "r.collection = " +
                           std::to_string(collection)));
  }
  Statement update =
      TRY(connection.prepare("INSERT INTO palace(key, value) VALUES ('tokenizer_version', ?1) "
                             "ON CONFLICT(key) DO UPDATE SET value = excluded.value"));
  return update.bind(1, std::int64_t{kTokenizerVersion}).run();
}

Error newer_error(std::int64_t version) {
  return {ErrorKind::version_mismatch, "this palace was written by a newer Loci (schema " + std::to_string(version) +
                                           ", this program knows " + std::to_string(kSchemaVersion) +
                                           "); it was not touched, use the newer program"};
}

}  // namespace

std::span<const Migration> migrations() {
  static constexpr Migration kMigrations[] = {
      {1, [](Connection& connection) { return connection.execute(kReembeddingTables); }},
      {2, [](Connection& connection) { return connection.execute(kSourceTables); }},
      {3, [](Connection& connection) { return connection.execute(kSegments); }},
      // From here on `embedded` may be 2, which older programs would take for a vector. The index is made on open.
      {4, [](Connection&) { return ok_status(); }},
  };
  return kMigrations;
}

Result<SchemaState> schema_state(Connection& connection, std::int64_t current_version) {
  const std::int64_t application = TRY(connection.query_integer("PRAGMA application_id"));
  const std::int64_t version = TRY(connection.query_integer("PRAGMA user_version"));
  if (application == 0 && version == 0) {
    const std::int64_t tables = TRY(connection.query_integer("SELECT count(*) FROM sqlite_schema"));
    return tables == 0 ? SchemaState::empty : SchemaState::foreign;
  }
  if (application != kApplicationId) return SchemaState::foreign;
  if (version > current_version) return SchemaState::newer;
  return version < current_version ? SchemaState::older : SchemaState::current;
}

Result<bool> needs_preparation(Connection& connection) {
  const SchemaState state = TRY(schema_state(connection));
  if (state != SchemaState::current) return true;
  const bool incomplete = TRY(lacks_an_index(connection));
  if (incomplete) return true;
  return has_old_words(connection);
}

Status prepare_schema(Connection& connection) {
  Transaction transaction = TRY(Transaction::begin(connection, Transaction::Kind::write));
  switch (TRY(schema_state(connection))) {
    case SchemaState::foreign:
      return Error{ErrorKind::corruption, "palace.db belongs to another program, or is damaged; it was not changed"};
    case SchemaState::newer: return newer_error(TRY(connection.query_integer("PRAGMA user_version")));
    case SchemaState::empty: TRY(create_schema(connection)); break;
    case SchemaState::older: TRY(migrate_schema(connection, migrations(), kSchemaVersion)); break;
    case SchemaState::current: break;
  }
  TRY(make_missing_indexes(connection));
  const bool old_words = TRY(has_old_words(connection));
  if (old_words) TRY(rebuild_words(connection));
  return transaction.commit();
}

Status migrate_schema(Connection& connection, std::span<const Migration> steps, std::int64_t target) {
  std::int64_t version = TRY(connection.query_integer("PRAGMA user_version"));
  for (const Migration& step : steps) {
    if (step.from != version || version >= target) continue;
    TRY(step.run(connection));
    ++version;
    const std::string detail = std::to_string(step.from) + " to " + std::to_string(version);
    Statement log = TRY(connection.prepare("INSERT INTO migrations(at, what, detail) VALUES (?1, 'schema', ?2)"));
    TRY(log.bind(1, now_unix_ms()).bind(2, detail).run());
    TRY(connection.execute("PRAGMA user_version = " + std::to_string(version)));
  }
  if (version == target) return {};
  return Error{ErrorKind::version_mismatch,
               "no way from schema " + std::to_string(version) + " to " + std::to_string(target)};
}

Status rebuild_row_indexes(Connection& connection) {
  for (const RecordIndex& index : kRecordIndexes)
    TRY(connection.execute("DROP INDEX IF EXISTS " + std::string(index.name)));
  TRY(make_missing_indexes(connection));
  for (const std::string_view table : {"collections", "sources", "places", "links", "deletions"})
    TRY(connection.execute("REINDEX " + std::string(table)));
  return {};
}

std::string words_table(std::int64_t collection) { return "words_" + std::to_string(collection); }

Status create_words_table(Connection& connection, std::int64_t collection) {
  return create_words_table(connection, words_table(collection));
}

Status create_words_table(Connection& connection, std::string_view name) {
  // Contentless, so the text is stored once; contentless_delete, so that removing a row does not need its old tokens.
  return connection.execute("CREATE VIRTUAL TABLE " + std::string(name) +
                            " USING fts5(text, content='', contentless_delete=1, tokenize='loci')");
}

Result<std::int64_t> take_seqs(Connection& connection, std::size_t count) {
  Statement update = TRY(connection.prepare("UPDATE palace SET value = value + ?1 WHERE key = 'seq' RETURNING value"));
  if (!TRY(update.bind(1, static_cast<std::int64_t>(count)).step())) {
    return Error{ErrorKind::corruption, "the palace has lost its counter of changes; run `loci verify`"};
  }
  const std::int64_t last = update.integer(0);
  TRY(update.run());
  return last - static_cast<std::int64_t>(count) + 1;
}

}  // namespace loci::embedded
