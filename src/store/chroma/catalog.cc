#include "store/chroma/catalog.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "store/chroma/model_key.h"
#include "store/chroma/seq_id.h"
#include "store/contract.h"

namespace loci::chroma {
namespace {

Frontier frontier_at(const Statement& row, int column) {
  Frontier frontier;
  frontier.is_blob = row.is_blob(column);
  const std::optional<std::int64_t> seq = seq_id_at(row, column);
  if (!seq) {
    frontier.is_lost = true;
    return frontier;
  }
  frontier.seq = *seq;
  if (*seq < kLargestSeqId) return frontier;
  frontier.is_poisoned = true;
  const std::optional<std::int64_t> before = unpoisoned(*seq);
  frontier.is_lost = !before;
  frontier.seq = before.value_or(0);
  return frontier;
}

Result<std::map<std::string, Frontier>> read_frontiers(Connection& connection) {
  std::map<std::string, Frontier> frontiers;
  Statement select = TRY(connection.prepare("SELECT segment_id, seq_id FROM max_seq_id"));
  while (TRY(select.step())) frontiers.emplace(select.text(0), frontier_at(select, 1));
  return frontiers;
}

// The hnsw:space of each owner (a segment or a collection) in a table of metadata; and those with any hnsw:* at all.
struct HnswSettings {
  std::map<std::string, std::string, std::less<>> spaces;
  std::map<std::string, bool, std::less<>> has_any;
};
Result<HnswSettings> read_settings(Connection& connection, std::string_view sql) {
  HnswSettings settings;
  Statement select = TRY(connection.prepare(sql));
  while (TRY(select.step())) {
    settings.has_any[std::string(select.text(0))] = true;
    if (select.text(1) == "hnsw:space") settings.spaces.emplace(select.text(0), select.text(2));
  }
  return settings;
}

std::string collections_query(const SchemaVersions& versions) {
  std::string sql = "SELECT c.id, c.name, c.dimension, ";
  sql += versions.system >= 7 ? "c.config_json_str, " : "NULL, ";
  sql += versions.system >= 10 ? "c.schema_str, " : "NULL, ";
  sql += versions.has_topics() ? "c.topic, " : "NULL, ";
  sql += versions.has_databases() ? "c.database_id, d.tenant_id, d.name " : "NULL, NULL, NULL ";
  sql += "FROM collections c";
  if (versions.has_databases()) sql += " LEFT JOIN databases d ON d.id = c.database_id";
  return sql;
}

std::string full_name(const Statement& row) {
  std::string name = clean_text(row.text(1));
  if (row.is_null(6) || row.text(6) == kDefaultDatabase) return name;
  return clean_text(row.text(7)) + "/" + clean_text(row.text(8)) + "/" + name;
}

}  // namespace

std::string clean_text(std::string_view text) { return is_valid_utf8(text) ? std::string(text) : to_valid_utf8(text); }

std::optional<std::int64_t> seq_id_at(const Statement& row, int column) {
  if (row.is_null(column)) return {};
  if (row.is_blob(column)) return decode_seq_id(row.blob(column));
  const std::int64_t seq = row.integer(column);
  return seq < 0 ? std::nullopt : std::optional(seq);
}

Status run_with_seq_id(Statement& statement, int parameter, std::int64_t seq, const SchemaVersions& versions) {
  const std::array<std::uint8_t, 8> blob = encode_seq_id(seq);
  if (versions.has_integer_frontiers()) {
    statement.bind(parameter, seq);
  } else {
    statement.bind_blob(parameter, blob);
  }
  return statement.run();
}

Status set_frontier(Connection& connection, const SchemaVersions& versions, std::string_view segment,
                    std::int64_t seq) {
  Statement insert = TRY(connection.prepare("INSERT OR REPLACE INTO max_seq_id(segment_id, seq_id) VALUES (?1, ?2)"));
  insert.bind(1, segment);
  return run_with_seq_id(insert, 2, seq, versions);
}

Result<SchemaVersions> read_versions(Connection& connection) {
  SchemaVersions versions;
  // A view in the place of a table could be one without end. Chroma has none.
  if (TRY(connection.query_integer("SELECT count(*) FROM sqlite_master WHERE type IN ('view', 'trigger')")) > 0)
    return Error{ErrorKind::corruption, "this is no database of Chroma's: it has views or triggers"};
  Result<Statement> select = connection.prepare("SELECT dir, max(version) FROM migrations GROUP BY dir");
  if (!select.ok()) {
    if (select.error().kind != ErrorKind::internal) return select.error();
    return Error{ErrorKind::corruption, "this is no database of Chroma's: it has no table of migrations"};
  }
  while (TRY(select->step())) {
    const std::string_view kind = select->text(0);
    if (kind == "embeddings_queue") versions.queue = select->integer(1);
    if (kind == "metadb") versions.metadata = select->integer(1);
    if (kind == "sysdb") versions.system = select->integer(1);
  }
  return versions;
}

Result<std::vector<CollectionRow>> list_collections(Connection& connection, const SchemaVersions& versions) {
  const std::map<std::string, Frontier> frontiers = TRY(read_frontiers(connection));
  const HnswSettings of_segments =
      TRY(read_settings(connection, "SELECT segment_id, key, str_value FROM segment_metadata WHERE key LIKE 'hnsw:%'"));
  const HnswSettings of_collections = TRY(read_settings(
      connection, "SELECT collection_id, key, str_value FROM collection_metadata WHERE key LIKE 'hnsw:%'"));
  std::map<std::string, std::string> models;
  Statement model = TRY(connection.prepare("SELECT collection_id, str_value FROM collection_metadata WHERE key = ?1"));
  model.bind(1, kModelKey);
  while (TRY(model.step())) models.emplace(model.text(0), clean_text(model.text(1)));
  std::map<std::string, std::pair<std::string, std::string>> segments;
  Statement segment = TRY(connection.prepare("SELECT id, scope, collection FROM segments ORDER BY id"));
  while (TRY(segment.step())) {
    // It becomes the name of a folder.
    if (segment.text(0).find('/') != std::string_view::npos || segment.text(0).starts_with('.')) continue;
    auto& [vectors, metadata] = segments[std::string(segment.text(2))];
    (segment.text(1) == "VECTOR" ? vectors : metadata) = segment.text(0);
  }

  std::vector<CollectionRow> rows;
  Statement select = TRY(connection.prepare(collections_query(versions)));
  while (TRY(select.step())) {
    CollectionRow row;
    row.id = select.text(0);
    row.name = full_name(select);
    if (!select.is_null(2) && select.integer(2) > 0) row.dimension = static_cast<std::size_t>(select.integer(2));
    row.topic = select.is_null(5) ? "persistent://default/default/" + row.id : std::string(select.text(5));
    if (const auto found = segments.find(row.id); found != segments.end())
      std::tie(row.vector_segment, row.metadata_segment) = found->second;
    SpaceSources sources{.schema = std::string(select.text(4)), .configuration = std::string(select.text(3))};
    if (const auto found = of_segments.spaces.find(row.vector_segment); found != of_segments.spaces.end())
      sources.segment_space = found->second;
    if (const auto found = of_collections.spaces.find(row.id); found != of_collections.spaces.end())
      sources.metadata_space = found->second;
    sources.segment_has_settings = of_segments.has_any.contains(row.vector_segment);
    row.space = resolve_space(sources);
    if (const auto found = models.find(row.id); found != models.end()) row.model = found->second;
    if (const auto found = frontiers.find(row.vector_segment); found != frontiers.end())
      row.vector_frontier = found->second;
    if (const auto found = frontiers.find(row.metadata_segment); found != frontiers.end())
      row.metadata_frontier = found->second;
    rows.push_back(std::move(row));
  }
  std::sort(rows.begin(), rows.end(), [](const CollectionRow& a, const CollectionRow& b) { return a.name < b.name; });
  return rows;
}

Result<std::optional<CollectionRow>> find_collection(Connection& connection, const SchemaVersions& versions,
                                                     std::string_view name) {
  for (CollectionRow& row : TRY(list_collections(connection, versions))) {
    if (row.name == name) return std::optional(std::move(row));
  }
  return std::optional<CollectionRow>();
}

Result<CollectionRow> load_collection(Connection& connection, const SchemaVersions& versions, std::string_view name) {
  std::optional<CollectionRow> found = TRY(find_collection(connection, versions, name));
  if (found) return *std::move(found);
  return Error{ErrorKind::collection_not_initialized, "the Chroma folder has no collection " + in_quotes(name)};
}

}  // namespace loci::chroma
