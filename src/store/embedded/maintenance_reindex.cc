#include "store/embedded/catalog.h"
#include "store/embedded/index_builder.h"
#include "store/embedded/maintenance_kinds.h"
#include "store/embedded/schema.h"
#include "store/embedded/words_rebuild.h"

namespace loci::embedded {
namespace {

Status rebuild_tables(Database& database, Metadata&) {
  return database.write([](Connection& connection) { return rebuild_row_indexes(connection); });
}

Status rebuild_all_words(Database& database, Metadata& stats) {
  const auto collections = TRY(database.read([](Connection& connection) { return list_collections(connection); }));
  std::int64_t rows = 0;
  for (const CollectionRow& collection : collections) rows += TRY(rebuild_words(database, collection.id));
  stats["word_rows"] = rows;
  return {};
}

Status rebuild_vectors(Database& database, Metadata& stats) {
  const IndexReport report = TRY(rebuild_index(database));
  stats["vector_rows"] = static_cast<std::int64_t>(report.rows);
  stats["vector_segments"] = static_cast<std::int64_t>(report.segments);
  return {};
}

// One entry for each kind of index. Each notes in the stats what it made.
using RebuildIndex = Status (*)(Database&, Metadata&);
constexpr RebuildIndex kIndexes[] = {rebuild_tables, rebuild_all_words, rebuild_vectors};

}  // namespace

Result<MaintenanceStatus> reindex(Database& database, Metadata& stats) {
  const std::int64_t rows = TRY(
      database.read([](Connection& connection) { return connection.query_integer("SELECT count(*) FROM records"); }));
  stats["rows"] = rows;
  if (rows == 0) return MaintenanceStatus::noop;
  for (const RebuildIndex rebuild : kIndexes) TRY(rebuild(database, stats));
  return MaintenanceStatus::ran;
}

}  // namespace loci::embedded
