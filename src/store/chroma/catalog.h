// What a Chroma database says about its collections, whatever release wrote it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loci/collection.h"
#include "loci/result.h"
#include "store/chroma/json_text.h"
#include "store/sqlite/sqlite.h"

namespace loci::chroma {

using sqlite::Connection;
using sqlite::Statement;

inline constexpr std::string_view kDatabaseName = "chroma.sqlite3";
inline constexpr std::string_view kDocumentKey = "chroma:document";
inline constexpr std::string_view kDefaultDatabase = "00000000-0000-0000-0000-000000000000";

// How far Chroma's own migrations went; 0: none of that kind.
struct SchemaVersions {
  std::int64_t queue = 0;
  std::int64_t metadata = 0;
  std::int64_t system = 0;

  bool has_databases() const { return system >= 4; }
  bool has_topics() const { return system < 5; }
  bool has_integer_frontiers() const { return metadata >= 5; }
  bool has_lists() const { return metadata >= 6; }
};

// A frontier as it is stored.
struct Frontier {
  std::int64_t seq = 0;  // decoded, and read back when it was poisoned
  bool is_blob = false;
  bool is_poisoned = false;
  bool is_lost = false;  // cannot be decoded
};

struct CollectionRow {
  std::string id;
  std::string name;   // of another database than the default one: TENANT/DATABASE/NAME
  std::string topic;  // of its rows in the queue
  Space space;
  std::optional<std::size_t> dimension;
  std::string model;  // empty: unknown
  std::string vector_segment;
  std::string metadata_segment;
  std::optional<Frontier> vector_frontier;
  std::optional<Frontier> metadata_frontier;
};

// Errors: corruption when it is no database of Chroma's.
Result<SchemaVersions> read_versions(Connection& connection);

// Ordered by name.
Result<std::vector<CollectionRow>> list_collections(Connection& connection, const SchemaVersions& versions);
Result<std::optional<CollectionRow>> find_collection(Connection& connection, const SchemaVersions& versions,
                                                     std::string_view name);
// Errors: collection_not_initialized.
Result<CollectionRow> load_collection(Connection& connection, const SchemaVersions& versions, std::string_view name);

// A sequence number in a column, blob or integer. Nothing when it is neither.
std::optional<std::int64_t> seq_id_at(const Statement& row, int column);
// Binds one in the form that this database has, and runs the statement.
Status run_with_seq_id(Statement& statement, int parameter, std::int64_t seq, const SchemaVersions& versions);
// The segment has applied the queue up to `seq`.
Status set_frontier(Connection& connection, const SchemaVersions& versions, std::string_view segment, std::int64_t seq);

// The texts of a column that others wrote may be anything; what is not UTF-8 is replaced.
std::string clean_text(std::string_view text);

}  // namespace loci::chroma
