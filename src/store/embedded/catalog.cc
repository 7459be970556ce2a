#include "store/embedded/catalog.h"

#include <map>

#include "base/clock.h"
#include "store/contract.h"
#include "store/embedded/schema.h"
#include "store/embedded/segment_catalog.h"
#include "store/embedded/snapshot_memory.h"

namespace loci::embedded {
namespace {

constexpr std::string_view kSelectByName = "SELECT id, name, metric, dimension, model FROM collections WHERE name = ?1";
constexpr std::string_view kSelectAll = "SELECT id, name, metric, dimension, model FROM collections ORDER BY name";

CollectionRow read_row(const Statement& select) {
  CollectionRow row{.id = select.integer(0),
                    .name = std::string(select.text(1)),
                    .dimension = {},
                    .model = std::string(select.text(4))};
  row.metric = parse_distance_metric(select.text(2)).value_or(DistanceMetric::cosine);
  if (!select.is_null(3)) row.dimension = static_cast<std::size_t>(select.integer(3));
  return row;
}

// How the log of migrations begins to tell of a collection.
std::string logged_name(const CollectionRow& collection) { return "collection " + in_quotes(collection.name); }

// A number of records that `sql` counts and that is remembered as long as nothing changes.
Result<std::size_t> count_once(Connection& connection, std::int64_t collection,
                               std::optional<std::size_t> CollectionMemory::*remembered, std::string_view sql) {
  CollectionMemory* const memory = SnapshotMemory::of(connection, collection);
  if (memory != nullptr && memory->*remembered) return *(memory->*remembered);
  Statement select = TRY(connection.prepare(sql));
  TRY(select.bind(1, collection).step());
  const auto count = static_cast<std::size_t>(select.integer(0));
  if (memory != nullptr) memory->*remembered = count;
  return count;
}

}  // namespace

Result<std::optional<CollectionRow>> find_collection(Connection& connection, std::string_view name) {
  Statement select = TRY(connection.prepare(kSelectByName));
  if (!TRY(select.bind(1, name).step())) return std::optional<CollectionRow>();
  return std::optional(read_row(select));
}

Result<bool> has_collection(Connection& connection, std::int64_t id) {
  Statement select = TRY(connection.prepare("SELECT 1 FROM collections WHERE id = ?1"));
  return select.bind(1, id).step();
}

Result<CollectionRow> load_collection(Connection& connection, std::string_view name) {
  std::optional<CollectionRow> row = TRY(find_collection(connection, name));
  if (row) return std::move(*row);
  return Error{ErrorKind::collection_not_initialized,
               "the palace has no collection " + in_quotes(name) + "; a first write makes it"};
}

Result<std::vector<CollectionRow>> list_collections(Connection& connection) {
  Statement select = TRY(connection.prepare(kSelectAll));
  std::vector<CollectionRow> rows;
  while (TRY(select.step())) rows.push_back(read_row(select));
  return rows;
}

std::vector<CollectionRow> list_readable_collections(Connection& connection) {
  std::map<std::int64_t, CollectionRow> rows;
  for (const std::string_view sql :
       {"SELECT id, name, metric, dimension, model FROM collections NOT INDEXED",
        "SELECT id, name, '', NULL, '' FROM collections INDEXED BY sqlite_autoindex_collections_1"}) {
    Result<Statement> select = connection.prepare(sql);
    if (!select.ok()) continue;
    for (Result<bool> row = select->step(); row.ok() && *row; row = select->step()) {
      CollectionRow read = read_row(*select);
      rows.try_emplace(read.id, std::move(read));
    }
  }
  std::vector<CollectionRow> list;
  for (auto& [id, row] : rows) list.push_back(std::move(row));
  return list;
}

Result<CollectionRow> create_collection(Connection& connection, std::string_view name, DistanceMetric metric) {
  Statement insert = TRY(connection.prepare("INSERT INTO collections(name, metric, created_at) VALUES (?1, ?2, ?3)"));
  TRY(insert.bind(1, name).bind(2, to_string(metric)).bind(3, now_unix_ms()).run());
  TRY(create_words_table(connection, sqlite3_last_insert_rowid(connection.handle())));
  return load_collection(connection, name);
}

Status drop_collection(Connection& connection, const CollectionRow& collection) {
  TRY(connection.execute("DROP TABLE " + words_table(collection.id)));
  for (const std::string_view sql :
       {"DELETE FROM documents WHERE row IN (SELECT row FROM records WHERE collection = ?1)",
        "DELETE FROM vectors WHERE row IN (SELECT row FROM records WHERE collection = ?1)",
        "DELETE FROM next_vectors WHERE row IN (SELECT row FROM records WHERE collection = ?1)",
        "DELETE FROM next_models WHERE collection = ?1",
        "DELETE FROM links WHERE row IN (SELECT row FROM records WHERE collection = ?1)",
        "DELETE FROM records WHERE collection = ?1",
        "DELETE FROM source_states WHERE source IN (SELECT id FROM sources WHERE collection = ?1)",
        "DELETE FROM erased_keys WHERE source IN (SELECT id FROM sources WHERE collection = ?1)",
        "DELETE FROM sources WHERE collection = ?1", "DELETE FROM segments WHERE collection = ?1",
        "DELETE FROM deletions WHERE collection = ?1", "DELETE FROM collections WHERE id = ?1"}) {
    Statement remove = TRY(connection.prepare(sql));
    TRY(remove.bind(1, collection.id).run());
  }
  return {};
}

Result<std::size_t> count_records(Connection& connection, std::int64_t collection) {
  return count_once(connection, collection, &CollectionMemory::records,
                    "SELECT count(*) FROM records WHERE collection = ?1");
}

Result<std::size_t> count_pending(Connection& connection, std::int64_t collection) {
  return count_once(connection, collection, &CollectionMemory::pending,
                    "SELECT count(*) FROM records WHERE collection = ?1 AND embedded = 0");
}

Result<std::size_t> count_missing(Connection& connection, std::int64_t collection) {
  return count_once(connection, collection, &CollectionMemory::missing,
                    "SELECT count(*) FROM records WHERE collection = ?1 AND embedded = 2");
}

Result<bool> has_vectors(Connection& connection, std::int64_t collection) {
  Statement select = TRY(connection.prepare(
      "SELECT 1 FROM vectors v CROSS JOIN records r ON r.row = v.row WHERE r.collection = ?1 LIMIT 1"));
  return select.bind(1, collection).step();
}

Status set_dimension(Connection& connection, CollectionRow& collection, std::size_t dimension) {
  Statement update = TRY(connection.prepare("UPDATE collections SET dimension = ?2 WHERE id = ?1"));
  TRY(update.bind(1, collection.id).bind(2, static_cast<std::int64_t>(dimension)).run());
  collection.dimension = dimension;
  return drop_segments(connection, collection.id);  // of vectors that can no longer be compared
}

Status set_model(Connection& connection, CollectionRow& collection, std::string_view model) {
  if (!collection.model.empty() && collection.model != model) {
    const std::string detail = logged_name(collection) + ": " + collection.model + " to " + std::string(model);
    Statement log = TRY(connection.prepare("INSERT INTO migrations(at, what, detail) VALUES (?1, 'model swap', ?2)"));
    TRY(log.bind(1, now_unix_ms()).bind(2, detail).run());
  }
  Statement update = TRY(connection.prepare("UPDATE collections SET model = ?2 WHERE id = ?1"));
  TRY(update.bind(1, collection.id).bind(2, model).run());
  collection.model = model;
  return drop_segments(connection, collection.id);  // they name the model
}

Result<bool> has_mixed_vectors(Connection& connection, const CollectionRow& collection) {
  Statement select =
      TRY(connection.prepare("SELECT m.what = 'model swap' FROM migrations m JOIN collections c ON c.id = ?1 WHERE "
                             "m.what IN ('model swap', 're-embedding') AND m.at >= c.created_at AND "
                             "substr(m.detail, 1, length(?2)) = ?2 ORDER BY m.id DESC LIMIT 1"));
  const std::string prefix = logged_name(collection) + ": ";
  return TRY(select.bind(1, collection.id).bind(2, prefix).step()) && select.integer(0) != 0;
}

Result<IdentityCheck> identity_of(Connection& connection, const CollectionRow& collection, const Embedder* embedder,
                                  ModelSwap swap) {
  const bool vectors = TRY(has_vectors(connection, collection.id));
  return check_identity(collection.model, collection.dimension, vectors, embedder, swap);
}

}  // namespace loci::embedded
