#include "store/embedded/segment_catalog.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace loci::embedded {
namespace {

Result<std::vector<SegmentRow>> read_segments(Statement& select) {
  std::vector<SegmentRow> segments;
  while (TRY(select.step())) {
    segments.push_back({.id = select.integer(0),
                        .collection = select.integer(1),
                        .file = std::string(select.text(2)),
                        .generation = select.integer(3),
                        .covered_seq = select.integer(4),
                        .rows = static_cast<std::size_t>(select.integer(5)),
                        .dead = static_cast<std::size_t>(select.integer(6)) / sizeof(std::uint32_t)});
  }
  return segments;
}

Result<std::vector<std::int64_t>> read_rows(Connection& connection, std::string_view sql, std::int64_t collection,
                                            std::int64_t seq) {
  Statement select = TRY(connection.prepare(sql));
  select.bind(1, collection).bind(2, seq);
  std::vector<std::int64_t> rows;
  while (TRY(select.step())) rows.push_back(select.integer(0));
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace

Result<std::vector<SegmentRow>> list_segments(Connection& connection, std::int64_t collection) {
  Statement select = TRY(connection.prepare(
      "SELECT id, collection, file, generation, covered_seq, rows, length(dead) FROM segments WHERE collection = ?1 "
      "ORDER BY id"));
  select.bind(1, collection);
  return read_segments(select);
}

Result<std::vector<SegmentRow>> list_all_segments(Connection& connection) {
  Statement select = TRY(connection.prepare(
      "SELECT id, collection, file, generation, covered_seq, rows, length(dead) FROM segments ORDER BY id"));
  return read_segments(select);
}

Result<std::vector<std::uint32_t>> dead_slots(Connection& connection, std::int64_t segment) {
  Statement select = TRY(connection.prepare("SELECT dead FROM segments WHERE id = ?1"));
  std::vector<std::uint32_t> slots;
  if (!TRY(select.bind(1, segment).step())) return slots;
  const std::span<const std::uint8_t> blob = select.blob(0);
  slots.resize(blob.size() / sizeof(std::uint32_t));
  if (!slots.empty()) std::memcpy(slots.data(), blob.data(), slots.size() * sizeof(std::uint32_t));
  return slots;
}

Status set_covered(Connection& connection, std::int64_t segment, std::int64_t covered_seq,
                   const std::vector<std::uint32_t>& dead) {
  Statement update = TRY(connection.prepare("UPDATE segments SET covered_seq = ?2, dead = ?3 WHERE id = ?1"));
  const std::span<const std::uint8_t> blob(reinterpret_cast<const std::uint8_t*>(dead.data()),
                                           dead.size() * sizeof(std::uint32_t));
  return update.bind(1, segment).bind(2, covered_seq).bind_blob(3, blob).run();
}

Result<std::int64_t> insert_segment(Connection& connection, const SegmentRow& segment) {
  Statement insert = TRY(connection.prepare(
      "INSERT INTO segments(collection, file, generation, covered_seq, rows, dead) VALUES (?1, ?2, ?3, ?4, ?5, x'')"));
  TRY(insert.bind(1, segment.collection)
          .bind(2, segment.file)
          .bind(3, segment.generation)
          .bind(4, segment.covered_seq)
          .bind(5, static_cast<std::int64_t>(segment.rows))
          .run());
  return sqlite3_last_insert_rowid(connection.handle());
}

Status remove_segment(Connection& connection, std::int64_t segment) {
  Statement remove = TRY(connection.prepare("DELETE FROM segments WHERE id = ?1"));
  return remove.bind(1, segment).run();
}

Status drop_segments(Connection& connection, std::int64_t collection) {
  Statement remove = TRY(connection.prepare("DELETE FROM segments WHERE collection = ?1"));
  return remove.bind(1, collection).run();
}

Result<Changes> changes_after(Connection& connection, std::int64_t collection, std::int64_t seq) {
  // The plus keeps SQLite from reading the whole collection instead of the few newest changes.
  return Changes{
      TRY(read_rows(connection, "SELECT row FROM records WHERE +collection = ?1 AND seq > ?2", collection, seq)),
      TRY(read_rows(connection, "SELECT row FROM deletions WHERE +collection = ?1 AND seq > ?2", collection, seq))};
}

Result<std::int64_t> current_seq(Connection& connection) {
  return connection.query_integer("SELECT value FROM palace WHERE key = 'seq'");
}

Result<std::string> palace_identity(Connection& connection) {
  return connection.query_text("SELECT value FROM palace WHERE key = 'palace_id'");
}

}  // namespace loci::embedded
