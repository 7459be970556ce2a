#include "store/embedded/source_writer.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/sha256.h"
#include "store/embedded/checksum.h"
#include "store/embedded/schema.h"

namespace loci::embedded {
namespace {

constexpr std::string_view kForgetErasures = "DELETE FROM erased_keys WHERE source = ?1";
constexpr std::string_view kForgetSource = "DELETE FROM sources WHERE id = ?1";
constexpr std::string_view kForgetUnlessErased =
    "DELETE FROM sources WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM erased_keys WHERE source = ?1)";

// The least name that does not begin with the prefix and stands behind all that do; empty: there is none.
std::string end_of_prefix(std::string prefix) {
  while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xFF) prefix.pop_back();
  if (!prefix.empty()) prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  return prefix;
}

// What a record's metadata become when those of its source change: pairs that the record had from the source follow it,
// pairs that were its own stay.
Metadata follow_source(Metadata metadata, const Metadata& old_shared, const Metadata& shared) {
  for (const auto& [key, value] : shared) {
    const auto mine = metadata.find(key);
    const auto old = old_shared.find(key);
    const bool came_from_source =
        mine == metadata.end() ? old == old_shared.end() : old != old_shared.end() && mine->second == old->second;
    if (came_from_source) metadata.insert_or_assign(key, value);
  }
  return metadata;
}

std::vector<std::uint8_t> hash_blob(const SourceRecord& record) {
  return from_hex(record.content_hash).value_or(std::vector<std::uint8_t>());
}

Status run_for(Connection& connection, std::string_view sql, std::int64_t source) {
  Statement statement = TRY(connection.prepare(sql));
  return statement.bind(1, source).run();
}

}  // namespace

Result<std::vector<SourceInfo>> list_sources(Connection& connection, std::int64_t collection, std::string_view prefix) {
  const std::string end = end_of_prefix(std::string(prefix));
  // One that was erased may be kept for the sake of what is held back of it.
  const std::string sql =
      "SELECT s.name, t.state, EXISTS (SELECT 1 FROM erased_keys e WHERE e.source = s.id) FROM sources s "
      "LEFT JOIN source_states t ON t.source = s.id WHERE s.collection = ?1 AND s.name >= ?2 "
      "AND (t.source IS NOT NULL OR EXISTS (SELECT 1 FROM records r WHERE r.source = s.id))" +
      std::string(end.empty() ? "" : " AND s.name < ?3") + " ORDER BY s.name";
  Statement select = TRY(connection.prepare(sql));
  select.bind(1, collection).bind(2, prefix);
  if (!end.empty()) select.bind(3, end);
  std::vector<SourceInfo> sources;
  while (TRY(select.step()))
    sources.push_back({std::string(select.text(0)), std::string(select.text(1)), select.integer(2) != 0});
  return sources;
}

Result<SourceWriter> SourceWriter::start(Connection& connection, std::int64_t collection,
                                         std::span<const SourceUpdate> updates, WordsAhead& words) {
  std::size_t records = 0;
  for (const SourceUpdate& update : updates) records += update.records.size();
  return SourceWriter(connection, collection, TRY(RowWriter::start(connection, collection, records)), words);
}

Result<SourceReport> SourceWriter::replace(const SourceUpdate& update) {
  SourceReport report;
  std::optional<RowWriter::Source> found = TRY(find(update.name));
  if (found && !update.restores_erased && TRY(has_state(found->id, update.state))) {
    report.unchanged = update.records.size();  // another process was here first
    texts_before_ += update.records.size();
    return report;
  }
  if (update.renamed_from && (!found || TRY(is_left_over(found->id)))) {
    if (std::optional<RowWriter::Source> renamed = TRY(find_and_rename(*update.renamed_from, update.name, found)))
      found = std::move(renamed);
  }
  if (found && update.restores_erased) TRY(run_for(connection_, kForgetErasures, found->id));
  StoredSource stored;
  if (found) {
    stored.records = TRY(load_records(*found));
    stored.source = std::move(*found);
    TRY(share(stored, update));
  } else {
    stored.source = TRY(create(update));
  }
  for (std::size_t i = 0; i < update.records.size(); ++i) {
    const SourceRecord& record = update.records[i];
    const RowKey key(hash_blob(record), record.occurrence);
    if (const auto there = stored.records.find(key); there != stored.records.end()) {
      const bool moved = TRY(move(stored, there->second, record));
      ++(moved ? report.moved : report.unchanged);
      stored.records.erase(there);
    } else if (record.is_erased && !update.restores_erased) {
      TRY(note_erased(stored.source.id, key));
      ++report.held_back;
    } else if (found && TRY(is_erased(stored.source.id, key))) {
      ++report.held_back;
    } else {
      TRY(store(stored, update, i, key));
      ++report.stored;
    }
  }
  for (const auto& [key, record] : stored.records) TRY(erase_row(connection_, collection_, record.row, record.id));
  report.removed = stored.records.size();
  if (found) TRY(forget_erasures_but(stored.source.id, update.records));
  TRY(set_state(stored.source.id, update.state));
  texts_before_ += update.records.size();
  return report;
}

Result<std::optional<RowWriter::Source>> SourceWriter::find(std::string_view name) {
  Statement select =
      TRY(connection_.prepare("SELECT id, metadata, checksum FROM sources WHERE collection = ?1 AND name = ?2"));
  if (!TRY(select.bind(1, collection_).bind(2, name).step())) return std::optional<RowWriter::Source>();
  if (!is_intact(select, 2, source_checksum(name, select.blob(1)))) return damaged_record(name, "metadata");
  Metadata shared = TRY(decode_metadata(select.blob(1)));
  return std::optional(RowWriter::Source{select.integer(0), std::string(name), std::move(shared)});
}

Result<std::optional<RowWriter::Source>> SourceWriter::find_and_rename(
    std::string_view from, const std::string& to, const std::optional<RowWriter::Source>& left_over) {
  std::optional<RowWriter::Source> source = TRY(find(from));
  if (!source) return source;
  if (left_over) {
    Statement take = TRY(connection_.prepare("UPDATE OR IGNORE erased_keys SET source = ?2 WHERE source = ?1"));
    TRY(take.bind(1, left_over->id).bind(2, source->id).run());
    TRY(run_for(connection_, kForgetErasures, left_over->id));
    TRY(run_for(connection_, kForgetSource, left_over->id));
  }
  TRY(rename(*source, to));
  return source;
}

Result<bool> SourceWriter::is_left_over(std::int64_t source) {
  Statement select =
      TRY(connection_.prepare("SELECT NOT EXISTS (SELECT 1 FROM source_states WHERE source = ?1) AND "
                              "NOT EXISTS (SELECT 1 FROM records WHERE source = ?1)"));
  return TRY(select.bind(1, source).step()) && select.integer(0) != 0;
}

Result<RowWriter::Source> SourceWriter::create(const SourceUpdate& update) {
  RowWriter::Source source{.id = 0, .name = update.name, .shared = update.shared};
  for (const auto& [key, value] : update.for_new) source.shared.insert_or_assign(key, value);
  const Jsonb shared = encode_metadata(source.shared);
  Statement insert =
      TRY(connection_.prepare("INSERT INTO sources(collection, name, metadata, checksum) VALUES (?1, ?2, ?3, ?4)"));
  TRY(insert.bind(1, collection_)
          .bind(2, source.name)
          .bind_blob(3, shared)
          .bind(4, source_checksum(source.name, shared))
          .run());
  source.id = sqlite3_last_insert_rowid(connection_.handle());
  return source;
}

// The name is part of the checksums, so every record of the source gets a new one.
Status SourceWriter::rename(RowWriter::Source& source, const std::string& name) {
  const std::map<RowKey, StoredRecord> records = TRY(load_records(source));
  source.name = name;
  const Jsonb shared = encode_metadata(source.shared);
  Statement update = TRY(connection_.prepare("UPDATE sources SET name = ?2, checksum = ?3 WHERE id = ?1"));
  TRY(update.bind(1, source.id).bind(2, name).bind(3, source_checksum(name, shared)).run());
  for (const auto& [key, record] : records)
    TRY(write_own_metadata(connection_, record.row, record.id, name, record.own));
  return {};
}

Result<bool> SourceWriter::has_state(std::int64_t source, std::string_view state) {
  Statement select = TRY(connection_.prepare("SELECT state FROM source_states WHERE source = ?1"));
  return TRY(select.bind(1, source).step()) && select.text(0) == state;
}

Status SourceWriter::share(StoredSource& stored, const SourceUpdate& update) {
  stored.old_shared = stored.source.shared;
  Metadata shared = update.shared;
  for (const auto& [key, value] : update.for_new) {
    const auto old = stored.old_shared.find(key);
    if (old != stored.old_shared.end()) shared.insert_or_assign(key, old->second);
  }
  if (shared == stored.old_shared) return {};
  stored.source.shared = std::move(shared);
  const Jsonb blob = encode_metadata(stored.source.shared);
  Statement statement = TRY(connection_.prepare("UPDATE sources SET metadata = ?2, checksum = ?3 WHERE id = ?1"));
  return statement.bind(1, stored.source.id)
      .bind_blob(2, blob)
      .bind(3, source_checksum(stored.source.name, blob))
      .run();
}

Result<std::map<SourceWriter::RowKey, SourceWriter::StoredRecord>> SourceWriter::load_records(
    const RowWriter::Source& source) {
  Statement select = TRY(connection_.prepare(
      "SELECT row, id, content_hash, occurrence, metadata, checksum FROM records WHERE source = ?1"));
  select.bind(1, source.id);
  std::map<RowKey, StoredRecord> records;
  while (TRY(select.step())) {
    const std::span<const std::uint8_t> hash = select.blob(2);
    const JsonbView own = select.blob(4);
    if (!is_intact(select, 5, record_checksum(select.integer(0), select.text(1), source.name, own)))
      return damaged_record(select.text(1), "metadata");
    records.emplace(RowKey({hash.begin(), hash.end()}, select.integer(3)),
                    StoredRecord{select.integer(0), std::string(select.text(1)), {own.begin(), own.end()}});
  }
  return records;
}

Status SourceWriter::note_erased(std::int64_t source, const RowKey& key) {
  Statement insert = TRY(
      connection_.prepare("INSERT OR IGNORE INTO erased_keys(source, content_hash, occurrence) VALUES (?1, ?2, ?3)"));
  return insert.bind(1, source).bind_blob(2, key.first).bind(3, key.second).run();
}

Result<bool> SourceWriter::is_erased(std::int64_t source, const RowKey& key) {
  Statement select =
      TRY(connection_.prepare("SELECT 1 FROM erased_keys WHERE source = ?1 AND content_hash = ?2 AND occurrence = ?3"));
  return select.bind(1, source).bind_blob(2, key.first).bind(3, key.second).step();
}

Result<bool> SourceWriter::move(const StoredSource& stored, const StoredRecord& record, const SourceRecord& now) {
  const Metadata before = TRY(decode_merged(record.own, encode_metadata(stored.old_shared)));
  Metadata after = follow_source(before, stored.old_shared, stored.source.shared);
  for (const auto& [key, value] : now.position) after.insert_or_assign(key, value);
  // Equal metadata may be split differently between the record and its source now.
  if (after == before && encode_own(after, stored.source.shared) == record.own) return false;
  TRY(rows_.rewrite_metadata(record.row, record.id, stored.source, after));
  return after != before;
}

Status SourceWriter::store(const StoredSource& stored, const SourceUpdate& update, std::size_t number,
                           const RowKey& key) {
  const SourceRecord& record = update.records[number];
  Record made{.id = record.id, .document = record.document, .metadata = stored.source.shared};
  for (const Metadata* pairs : {&update.for_new, &record.position}) {
    for (const auto& [name, value] : *pairs) made.metadata.insert_or_assign(name, value);
  }
  return rows_.insert_new(std::move(made), {&stored.source, key.first, key.second},
                          words_.take(texts_before_ + number));
}

// A text that is gone from the source is no longer held back, should it ever come again.
Status SourceWriter::forget_erasures_but(std::int64_t source, std::span<const SourceRecord> records) {
  std::vector<std::vector<std::uint8_t>> erased;
  {
    Statement select = TRY(connection_.prepare("SELECT DISTINCT content_hash FROM erased_keys WHERE source = ?1"));
    select.bind(1, source);
    while (TRY(select.step())) erased.emplace_back(select.blob(0).begin(), select.blob(0).end());
  }
  if (erased.empty()) return {};
  std::set<std::vector<std::uint8_t>> there;
  for (const SourceRecord& record : records) there.insert(hash_blob(record));
  Statement remove = TRY(connection_.prepare("DELETE FROM erased_keys WHERE source = ?1 AND content_hash = ?2"));
  for (const std::vector<std::uint8_t>& hash : erased) {
    if (!there.contains(hash)) TRY(remove.bind(1, source).bind_blob(2, hash).run());
  }
  return {};
}

Status SourceWriter::set_state(std::int64_t source, std::string_view state) {
  Statement insert =
      TRY(connection_.prepare("INSERT INTO source_states(source, state) VALUES (?1, ?2) "
                              "ON CONFLICT(source) DO UPDATE SET state = excluded.state"));
  return insert.bind(1, source).bind(2, state).run();
}

Result<std::size_t> erase_source(Connection& connection, std::int64_t collection, std::string_view name) {
  std::int64_t source = 0;
  {
    Statement select = TRY(connection.prepare("SELECT id FROM sources WHERE collection = ?1 AND name = ?2"));
    if (!TRY(select.bind(1, collection).bind(2, name).step())) return 0;
    source = select.integer(0);
  }
  std::vector<std::pair<std::int64_t, std::string>> rows;
  {
    Statement select = TRY(connection.prepare("SELECT row, id FROM records WHERE source = ?1"));
    select.bind(1, source);
    while (TRY(select.step())) rows.emplace_back(select.integer(0), select.text(1));
  }
  for (const auto& [row, id] : rows) TRY(erase_row(connection, collection, row, id));
  TRY(run_for(connection, "DELETE FROM source_states WHERE source = ?1", source));
  // What a user erased is held back if the source comes back, so its notes stay, and the row that they hang on.
  TRY(run_for(connection, kForgetUnlessErased, source));
  return rows.size();
}

}  // namespace loci::embedded
