// The palace's tables (docs/FORMAT.md describes them), how a database gets them, and how one with another version,
// a lost index or an older tokenizer is brought up to date.
//
// All of it happens in one write transaction that checks again inside, so it can be killed anywhere and any number
// of processes may start it at the same instant: one does the work, the others find it done.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "loci/result.h"
#include "store/embedded/sqlite.h"

namespace loci::embedded {

inline constexpr std::int64_t kApplicationId = 0x4C6F6369;  // "Loci"
inline constexpr std::int64_t kSchemaVersion = 5;

// Brings a database of version `from` to version `from + 1`, inside the caller's transaction.
struct Migration {
  std::int64_t from;
  Status (*run)(Connection&);
};
// Shipped migrations are never edited; new ones are appended.
std::span<const Migration> migrations();

// What a database says of itself.
enum class SchemaState { empty, current, older, newer, foreign };
Result<SchemaState> schema_state(Connection& connection, std::int64_t current_version = kSchemaVersion);

// Is something to do before this database can be used: tables, a migration, a lost index, an older word index?
Result<bool> needs_preparation(Connection& connection);

// Does it. Errors: version_mismatch (newer), corruption (another program's database); both leave the file as it is.
Status prepare_schema(Connection& connection);

// Applies `steps` until the version is `target`; for tests the steps are theirs.
Status migrate_schema(Connection& connection, std::span<const Migration> steps, std::int64_t target);

// Makes every index of the tables again from the rows, inside the caller's transaction. What a unique one forbids is
// mended first.
Status rebuild_row_indexes(Connection& connection);

// The word index of one collection.
std::string words_table(std::int64_t collection);
Status create_words_table(Connection& connection, std::int64_t collection);
Status create_words_table(Connection& connection, std::string_view name);

// Takes `count` numbers from the palace's one counter of changes and returns the first; inside a write transaction.
Result<std::int64_t> take_seqs(Connection& connection, std::size_t count = 1);

}  // namespace loci::embedded
