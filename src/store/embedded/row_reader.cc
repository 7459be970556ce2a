#include "store/embedded/row_reader.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "base/sha256.h"
#include "store/embedded/checksum.h"
#include "store/embedded/vector_blob.h"

namespace loci::embedded {
namespace {

enum Column {
  row_number,
  id,
  own_metadata,
  shared_metadata,
  document,
  embedding,
  use_count,
  created_at,
  updated_at,
  source,
  content_hash,
  occurrence,
  record_sum,
  source_sum,
  document_sum,
  vector_sum
};

bool reads_parts(const Include& include) { return include.metadatas || include.documents || include.embeddings; }

// Only what is asked for is read: an unused column is NULL and its table is not joined.
std::string select_sql(const RowScope& scope, const Include& include) {
  std::string columns = "SELECT r.row, r.id";
  // Read also when only text or vector are asked for: its checksum says that they are this record's.
  const bool has_parts = reads_parts(include);
  columns += has_parts ? ", r.metadata" : ", NULL";
  columns += include.metadatas ? ", s.metadata" : ", NULL";
  columns += include.documents ? ", d.text" : ", NULL";
  columns += include.embeddings ? ", v.embedding" : ", NULL";
  columns += include.details ? ", r.use_count, r.created_at, r.updated_at" : ", NULL, NULL, NULL";
  columns += include.details || has_parts ? ", s.name" : ", NULL";
  columns += include.details ? ", r.content_hash, r.occurrence" : ", NULL, NULL";
  columns += has_parts ? ", r.checksum" : ", NULL";
  columns += include.metadatas ? ", s.checksum" : ", NULL";
  columns += include.documents ? ", d.checksum" : ", NULL";
  columns += include.embeddings ? ", v.checksum" : ", NULL";
  std::string joins;
  if (include.documents) joins += "LEFT JOIN documents d ON d.row = r.row ";
  if (include.embeddings) joins += "LEFT JOIN vectors v ON v.row = r.row ";
  return columns + " FROM " + scope.from(joins) + " ORDER BY r.row LIMIT ?10 OFFSET ?11";
}

Result<std::vector<Link>> read_links(Connection& connection, std::int64_t row) {
  Statement select = TRY(connection.prepare("SELECT kind, target FROM links WHERE row = ?1 ORDER BY kind, target"));
  select.bind(1, row);
  std::vector<Link> links;
  while (TRY(select.step())) links.push_back({std::string(select.text(0)), std::string(select.text(1))});
  return links;
}

Result<Record> read_record(Connection& connection, const Statement& statement, const Include& include) {
  Record record{.id = std::string(statement.text(Column::id))};
  const std::int64_t row = statement.integer(Column::row_number);
  const JsonbView own = statement.blob(Column::own_metadata);
  const std::string_view source = statement.text(Column::source);
  if (reads_parts(include) && !is_intact(statement, Column::record_sum, record_checksum(row, record.id, source, own)))
    return damaged_record(record.id, "metadata");
  if (include.metadatas) {
    const JsonbView shared = statement.blob(Column::shared_metadata);
    if (!statement.is_null(Column::source) &&
        !is_intact(statement, Column::source_sum, source_checksum(source, shared)))
      return damaged_record(record.id, "metadata");
    record.metadata = TRY(decode_merged(own, shared));
  }
  if (include.documents) {
    record.document = statement.text(Column::document);
    const bool intact = !statement.is_null(Column::document) &&
                        is_intact(statement, Column::document_sum, text_checksum(row, record.document));
    if (!intact) return damaged_record(record.id, "text");
  }
  if (include.embeddings && !statement.is_null(Column::embedding)) {
    const std::span<const std::uint8_t> vector = statement.blob(Column::embedding);
    if (!is_intact(statement, Column::vector_sum, blob_checksum(row, vector)))
      return damaged_record(record.id, "vector");
    record.embedding = from_blob(vector);
  }
  if (include.details) {
    RecordDetails& details = record.details.emplace();
    details.use_count = statement.integer(Column::use_count);
    details.created_at = statement.integer(Column::created_at);
    details.updated_at = statement.integer(Column::updated_at);
    details.links = TRY(read_links(connection, row));
    if (!statement.is_null(Column::source)) {
      details.key = {std::string(statement.text(Column::source)), to_hex(statement.blob(Column::content_hash)),
                     statement.integer(Column::occurrence)};
    }
  }
  return record;
}

// SQLite's numbers are signed: more than it can count is everything.
std::int64_t as_row_count(std::size_t count) {
  return static_cast<std::int64_t>(std::min<std::size_t>(count, std::numeric_limits<std::int64_t>::max()));
}

// One look for each row: to read them together they would have to be put into row order, and back.
Result<std::vector<RankedRecord>> read_ranked_ids(Connection& connection, std::int64_t collection,
                                                  const std::vector<RankedRow>& ranked) {
  std::vector<RankedRecord> records;
  records.reserve(ranked.size());
  std::unordered_set<std::int64_t> seen;
  Statement select = TRY(connection.prepare("SELECT id FROM records WHERE row = ?1 AND +collection = ?2"));
  for (const RankedRow& hit : ranked) {
    if (!seen.insert(hit.row).second) continue;
    if (TRY(select.bind(1, hit.row).bind(2, collection).step()))
      records.push_back({{.id = std::string(select.text(0))}, hit.value});
    select.reset();
  }
  return records;
}

}  // namespace

Status scan_rows(Connection& connection, const RowScope& scope, const Include& include,
                 std::optional<std::size_t> limit, std::size_t offset,
                 const std::function<Status(std::int64_t row, Record record)>& visit) {
  Statement select = TRY(connection.prepare(select_sql(scope, include)));
  scope.bind(select);
  select.bind(10, limit ? as_row_count(*limit) : -1).bind(11, as_row_count(offset));
  while (TRY(select.step())) {
    Record record = TRY(read_record(connection, select, include));
    TRY(visit(select.integer(Column::row_number), std::move(record)));
  }
  return {};
}

Result<std::vector<RankedRecord>> read_ranked(Connection& connection, std::int64_t collection,
                                              const std::vector<RankedRow>& ranked, const Include& include) {
  if (!reads_parts(include) && !include.details) return read_ranked_ids(connection, collection, ranked);
  std::vector<std::int64_t> rows;
  for (const RankedRow& hit : ranked) rows.push_back(hit.row);
  std::unordered_map<std::int64_t, Record> by_row;
  const Filter no_filter;
  const DocumentFilter no_document_filter;
  const RowScope scope(collection, no_filter, no_document_filter, &rows);
  TRY(scan_rows(connection, scope, include, {}, 0, [&](std::int64_t row, Record record) -> Status {
    by_row.emplace(row, std::move(record));
    return {};
  }));
  std::vector<RankedRecord> records;
  for (const RankedRow& hit : ranked) {
    if (auto found = by_row.extract(hit.row)) records.push_back({std::move(found.mapped()), hit.value});
  }
  return records;
}

Result<std::vector<std::int64_t>> find_rows(Connection& connection, std::int64_t collection,
                                            const std::vector<std::string>& ids) {
  std::vector<std::int64_t> rows;
  Statement select = TRY(connection.prepare("SELECT row FROM records WHERE collection = ?1 AND id = ?2"));
  for (const std::string& id : ids) {
    if (TRY(select.bind(1, collection).bind(2, id).step())) rows.push_back(select.integer(0));
    select.reset();
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

}  // namespace loci::embedded
