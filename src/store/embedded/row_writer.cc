#include "store/embedded/row_writer.h"

#include "base/clock.h"
#include "base/sha256.h"
#include "store/contract.h"
#include "store/embedded/checksum.h"
#include "store/embedded/schema.h"
#include "store/embedded/vector_blob.h"

namespace loci::embedded {
namespace {

std::optional<std::string> string_value(const Metadata& metadata, std::string_view key) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) return {};
  const auto* text = std::get_if<std::string>(&found->second);
  return text == nullptr ? std::nullopt : std::optional(*text);
}

Statement& bind_optional(Statement& statement, int index, const std::optional<std::int64_t>& value) {
  return value ? statement.bind(index, *value) : statement.bind_null(index);
}

Statement& bind_optional(Statement& statement, int index, const std::optional<std::string>& value) {
  return value ? statement.bind(index, *value) : statement.bind_null(index);
}

// It was made from the text that the record had.
Status drop_next_vector(Connection& connection, std::int64_t row) {
  Statement remove = TRY(connection.prepare("DELETE FROM next_vectors WHERE row = ?1"));
  return remove.bind(1, row).run();
}

// Are links, count and times given, or is it for the store to fill them in?
const RecordDetails* given_details(const Record& record) {
  return record.details && record.details->created_at != 0 ? &*record.details : nullptr;
}

}  // namespace

RowWriter::RowWriter(Connection& connection, std::int64_t collection, std::int64_t first_seq, std::int64_t now)
    : connection_(connection),
      collection_(collection),
      now_(now),
      words_(words_table(collection)),
      next_seq_(first_seq) {}

Result<RowWriter> RowWriter::start(Connection& connection, std::int64_t collection, std::size_t count) {
  const std::int64_t first_seq = TRY(take_seqs(connection, count));
  RowWriter writer(connection, collection, first_seq, now_unix_ms());
  writer.has_erased_keys_ = TRY(connection.query_integer("SELECT EXISTS (SELECT 1 FROM erased_keys)")) != 0;
  return writer;
}

Result<RowWriter> RowWriter::start(Connection& connection, std::int64_t collection, std::span<const Record> batch) {
  RowWriter writer = TRY(start(connection, collection, batch.size()));
  for (const Record& record : batch) {
    if (record.details && record.details->key) {
      writer.batch_by_source_[record.details->key->source].push_back(&record.metadata);
    }
  }
  return writer;
}

Result<Written> RowWriter::write(const Record& record, IfIdExists if_id_exists) {
  const std::optional<ExistingRow> existing = TRY(find_by_id(record.id));
  if (existing && if_id_exists == IfIdExists::fail) {
    return Error{ErrorKind::already_exists,
                 "record " + in_quotes(record.id) + " exists already; nothing of the batch was stored"};
  }
  const std::optional<Key> key = TRY(key_of(record));
  if (key) {
    std::optional<std::string> holder = TRY(find_id_by_key(*key, record.id));
    if (holder && *holder != record.id) return Written{std::move(*holder), WriteState::already_there};
  }
  if (key) TRY(forget_erasure(*key));
  if (existing) {
    TRY(replace(*existing, record, key));
    return Written{record.id, WriteState::updated};
  }
  TRY(insert(record, key, {}));
  return Written{record.id, WriteState::stored};
}

// Whoever stores it by hand wants it back.
Status RowWriter::forget_erasure(const Key& key) {
  if (!has_erased_keys_) return {};
  Statement remove =
      TRY(connection_.prepare("DELETE FROM erased_keys WHERE source = ?1 AND content_hash = ?2 AND occurrence = ?3"));
  return remove.bind(1, key.source->id).bind_blob(2, key.content_hash).bind(3, key.occurrence).run();
}

Status RowWriter::insert_new(Record record, const Key& key, const std::optional<PackedWords>& words) {
  const std::string proposed = record.id;
  for (int number = 2; TRY(find_by_id(record.id)).has_value(); ++number)
    record.id = proposed + "_" + std::to_string(number);
  return insert(record, key, words);
}

Status RowWriter::rewrite_metadata(std::int64_t row, std::string_view id, const Source& source,
                                   const Metadata& metadata) {
  const std::optional<std::int64_t> place = TRY(place_of(metadata));
  Statement statement =
      TRY(connection_.prepare("UPDATE records SET seq = ?2, place = ?3, updated_at = ?4 WHERE row = ?1"));
  statement.bind(1, row).bind(2, next_seq_++);
  bind_optional(statement, 3, place);
  TRY(statement.bind(4, now_).run());
  return write_own_metadata(connection_, row, id, source.name, encode_own(metadata, source.shared));
}

// The number that SQLite would give the next row, by the rule of AUTOINCREMENT: never one that was in use before. It is
// needed before the row is there, for the checksum.
Result<std::int64_t> RowWriter::take_row() {
  if (next_row_ == 0) {
    next_row_ = 1 + TRY(connection_.query_integer(
                        "SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'records'), 0), "
                        "coalesce((SELECT max(row) FROM records), 0))"));
  }
  return next_row_++;
}

Status RowWriter::insert(const Record& record, const std::optional<Key>& key, const std::optional<PackedWords>& words) {
  const std::int64_t row = TRY(take_row());
  const std::optional<std::int64_t> place = TRY(place_of(record.metadata));
  const Jsonb metadata = key ? encode_own(record.metadata, key->source->shared) : encode_metadata(record.metadata);
  const RecordDetails* details = given_details(record);

  Statement statement = TRY(connection_.prepare(
      "INSERT INTO records(collection, id, seq, source, content_hash, occurrence, place, "
      "embedded, use_count, created_at, "
      "updated_at, metadata, checksum, row) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)"));
  statement.bind(1, collection_).bind(2, record.id).bind(3, next_seq_++);
  if (key) statement.bind(4, key->source->id).bind_blob(5, key->content_hash).bind(6, key->occurrence);
  bind_optional(statement, 7, place);
  statement.bind(8, static_cast<std::int64_t>(record.embedding ? VectorState::stored : without_vector_))
      .bind(9, details != nullptr ? details->use_count : 0)
      .bind(10, details != nullptr ? details->created_at : now_)
      .bind(11, details != nullptr ? details->updated_at : now_)
      .bind_blob(12, metadata)
      .bind(13, record_checksum(row, record.id, key ? std::string_view(key->source->name) : "", metadata))
      .bind(14, row);
  TRY(statement.run());

  TRY(write_document(row, record.document));
  TRY(insert_words(row, record.document, words));
  if (record.embedding) TRY(write_vector(connection_, row, as_blob(*record.embedding)));
  if (details != nullptr) TRY(write_links(row, details->links));
  return {};
}

Status RowWriter::replace(const ExistingRow& old, const Record& record, const std::optional<Key>& key) {
  const bool same_document = TRY(has_document(old.row, record.document));
  VectorState vector = same_document ? old.vector : without_vector_;
  if (record.embedding) vector = VectorState::stored;
  const Source* source = nullptr;
  if (key) {
    source = key->source;
  } else if (old.source) {
    source = TRY(source_with_id(*old.source));
  }
  const std::optional<std::int64_t> place = TRY(place_of(record.metadata));
  const Jsonb metadata =
      source != nullptr ? encode_own(record.metadata, source->shared) : encode_metadata(record.metadata);

  Statement statement = TRY(
      connection_.prepare("UPDATE records SET seq = ?2, place = ?3, embedded = ?4, updated_at = ?5 WHERE row = ?1"));
  statement.bind(1, old.row).bind(2, next_seq_++);
  bind_optional(statement, 3, place);
  TRY(statement.bind(4, static_cast<std::int64_t>(vector)).bind(5, now_).run());
  TRY(write_own_metadata(connection_, old.row, record.id, source != nullptr ? std::string_view(source->name) : "",
                         metadata));
  if (key) {
    Statement set_key =
        TRY(connection_.prepare("UPDATE records SET source = ?2, content_hash = ?3, occurrence = ?4 WHERE row = ?1"));
    TRY(set_key.bind(1, old.row)
            .bind(2, key->source->id)
            .bind_blob(3, key->content_hash)
            .bind(4, key->occurrence)
            .run());
  }
  if (!same_document) {
    TRY(write_document(old.row, record.document));
    TRY(drop_next_vector(connection_, old.row));
    Statement forget = TRY(connection_.prepare("DELETE FROM " + words_ + " WHERE rowid = ?1"));
    TRY(forget.bind(1, old.row).run());
    TRY(insert_words(old.row, record.document, {}));
  }
  if (record.embedding) {
    TRY(write_vector(connection_, old.row, as_blob(*record.embedding)));
  } else if (vector != VectorState::stored) {
    TRY(drop_vector(old.row));
  }
  if (const RecordDetails* details = given_details(record)) {
    Statement set_details =
        TRY(connection_.prepare("UPDATE records SET use_count = ?2, created_at = ?3, updated_at = ?4 WHERE row = ?1"));
    TRY(set_details.bind(1, old.row)
            .bind(2, details->use_count)
            .bind(3, details->created_at)
            .bind(4, details->updated_at)
            .run());
    Statement clear = TRY(connection_.prepare("DELETE FROM links WHERE row = ?1"));
    TRY(clear.bind(1, old.row).run());
    TRY(write_links(old.row, details->links));
  }
  return {};
}

Result<bool> RowWriter::update(const RecordUpdate& change) {
  const std::optional<ExistingRow> existing = TRY(find_by_id(change.id));
  if (!existing) return false;
  Record merged{.id = change.id, .embedding = change.embedding};
  {
    Statement select =
        TRY(connection_.prepare("SELECT d.text, r.metadata, s.metadata FROM records r JOIN documents d ON d.row = "
                                "r.row LEFT JOIN sources s ON s.id = "
                                "r.source WHERE r.row = ?1"));
    if (!TRY(select.bind(1, existing->row).step())) {
      return Error{ErrorKind::corruption, "record " + in_quotes(change.id) + " has lost its text; run `loci verify`"};
    }
    merged.document = change.document ? *change.document : std::string(select.text(0));
    merged.metadata = TRY(decode_merged(select.blob(1), select.blob(2)));
  }
  if (change.metadata) {
    for (const auto& [key, value] : *change.metadata) merged.metadata.insert_or_assign(key, value);
  }
  ExistingRow row = *existing;
  if (change.leaves_source && row.source) {
    for (const std::string& key : *change.leaves_source) merged.metadata.erase(key);
    TRY(leave_source(row));
  }
  TRY(replace(row, merged, {}));
  return true;
}

// Its metadata are still to be written whole: those that it shared with the source as well.
Status RowWriter::leave_source(ExistingRow& row) {
  TRY(note_erased_key(connection_, row.row));
  Statement statement = TRY(
      connection_.prepare("UPDATE records SET source = NULL, content_hash = NULL, occurrence = NULL WHERE row = ?1"));
  row.source.reset();
  return statement.bind(1, row.row).run();
}

Result<std::optional<RowWriter::ExistingRow>> RowWriter::find_by_id(std::string_view id) {
  Statement select =
      TRY(connection_.prepare("SELECT row, source, embedded FROM records WHERE collection = ?1 AND id = ?2"));
  if (!TRY(select.bind(1, collection_).bind(2, id).step())) return std::optional<ExistingRow>();
  ExistingRow row{.row = select.integer(0), .source = {}, .vector = VectorState(select.integer(2))};
  if (!select.is_null(1)) row.source = select.integer(1);
  return std::optional(row);
}

// The index knows the first half of a hash. Two hashes that have it in common are not of texts, so they are no reason
// to take one text for the other.
Result<std::optional<std::string>> RowWriter::find_id_by_key(const Key& key, std::string_view id) {
  Statement select =
      TRY(connection_.prepare("SELECT id, content_hash = ?2 FROM records WHERE source = ?1 AND "
                              "substr(content_hash, 1, 16) = substr(?2, 1, 16) AND occurrence = ?3"));
  select.bind(1, key.source->id).bind_blob(2, key.content_hash).bind(3, key.occurrence);
  if (!TRY(select.step())) return std::optional<std::string>();
  std::string holder(select.text(0));
  if (select.integer(1) == 0 && holder != id) {
    return Error{ErrorKind::invalid_argument,
                 "the content hashes of record " + in_quotes(id) + " and of record " + in_quotes(holder) +
                     ", which is there already, are not the same and begin with the same 32 digits; one of them is not "
                     "the SHA-256 of a text"};
  }
  return std::optional(std::move(holder));
}

Result<std::optional<RowWriter::Key>> RowWriter::key_of(const Record& record) {
  if (!record.details || !record.details->key) return std::optional<Key>();
  const UniqueKey& key = *record.details->key;
  std::optional<std::vector<std::uint8_t>> hash = from_hex(key.content_hash);
  if (!hash) {
    return Error{ErrorKind::invalid_argument,
                 "the content hash of record " + in_quotes(record.id) + " is not hexadecimal"};
  }
  return std::optional(Key{TRY(source_named(key.source)), std::move(*hash), key.occurrence});
}

Result<const RowWriter::Source*> RowWriter::source_named(const std::string& name) {
  if (const auto known = sources_.find(name); known != sources_.end()) return &known->second;
  Source source;
  Statement select = TRY(connection_.prepare("SELECT id, metadata FROM sources WHERE collection = ?1 AND name = ?2"));
  if (TRY(select.bind(1, collection_).bind(2, name).step())) {
    Metadata shared = TRY(decode_metadata(select.blob(1)));
    source = {select.integer(0), name, std::move(shared)};
  } else {
    source.name = name;
    source.shared = common_pairs(batch_by_source_[name]);
    const Jsonb shared = encode_metadata(source.shared);
    Statement insert =
        TRY(connection_.prepare("INSERT INTO sources(collection, name, metadata, checksum) VALUES (?1, ?2, ?3, ?4)"));
    TRY(insert.bind(1, collection_).bind(2, name).bind_blob(3, shared).bind(4, source_checksum(name, shared)).run());
    source.id = sqlite3_last_insert_rowid(connection_.handle());
  }
  return &sources_.emplace(name, std::move(source)).first->second;
}

Result<const RowWriter::Source*> RowWriter::source_with_id(std::int64_t id) {
  if (const auto known = sources_by_id_.find(id); known != sources_by_id_.end()) return &known->second;
  Statement select = TRY(connection_.prepare("SELECT name, metadata FROM sources WHERE id = ?1"));
  Source source{.id = id, .name = {}, .shared = {}};
  if (TRY(select.bind(1, id).step())) {
    source.name = select.text(0);
    source.shared = TRY(decode_metadata(select.blob(1)));
  }
  return &sources_by_id_.emplace(id, std::move(source)).first->second;
}

Result<std::optional<std::int64_t>> RowWriter::place_of(const Metadata& metadata) {
  const Place place{string_value(metadata, "wing"), string_value(metadata, "room")};
  if (!place.wing && !place.room) return std::optional<std::int64_t>();
  if (const auto known = places_.find(place); known != places_.end()) return std::optional(known->second);
  std::int64_t id = 0;
  Statement select = TRY(connection_.prepare("SELECT id FROM places WHERE wing IS ?1 AND room IS ?2"));
  bind_optional(select, 1, place.wing);
  bind_optional(select, 2, place.room);
  if (TRY(select.step())) {
    id = select.integer(0);
  } else {
    Statement insert = TRY(connection_.prepare("INSERT INTO places(wing, room) VALUES (?1, ?2)"));
    bind_optional(insert, 1, place.wing);
    bind_optional(insert, 2, place.room);
    TRY(insert.run());
    id = sqlite3_last_insert_rowid(connection_.handle());
  }
  places_.emplace(place, id);
  return std::optional(id);
}

Result<bool> RowWriter::has_document(std::int64_t row, std::string_view text) {
  Statement select = TRY(connection_.prepare("SELECT text FROM documents WHERE row = ?1"));
  if (!TRY(select.bind(1, row).step())) return false;
  return select.text(0) == text;
}

Status RowWriter::write_document(std::int64_t row, std::string_view text) {
  Statement insert =
      TRY(connection_.prepare("INSERT INTO documents(row, checksum, text) VALUES (?1, ?2, ?3) "
                              "ON CONFLICT(row) DO UPDATE SET checksum = excluded.checksum, text = excluded.text"));
  return insert.bind(1, row).bind(2, text_checksum(row, text)).bind(3, text).run();
}

Status RowWriter::insert_words(std::int64_t row, std::string_view text, const std::optional<PackedWords>& words) {
  std::optional<WordsInHand> in_hand;
  if (words) in_hand.emplace(connection_, *words);
  Statement insert = TRY(connection_.prepare("INSERT INTO " + words_ + "(rowid, text) VALUES (?1, ?2)"));
  return insert.bind(1, row).bind(2, text).run();
}

Status RowWriter::drop_vector(std::int64_t row) {
  Statement remove = TRY(connection_.prepare("DELETE FROM vectors WHERE row = ?1"));
  return remove.bind(1, row).run();
}

Status RowWriter::write_links(std::int64_t row, std::span<const Link> links) {
  Statement insert = TRY(connection_.prepare("INSERT OR IGNORE INTO links(row, kind, target) VALUES (?1, ?2, ?3)"));
  for (const Link& link : links) TRY(insert.bind(1, row).bind(2, link.kind).bind(3, link.target_id).run());
  return {};
}

Status erase_row(Connection& connection, std::int64_t collection, std::int64_t row, std::string_view id) {
  const std::int64_t seq = TRY(take_seqs(connection));
  for (const std::string& sql :
       {"DELETE FROM " + words_table(collection) + " WHERE rowid = ?1",
        std::string("DELETE FROM documents WHERE row = ?1"), std::string("DELETE FROM vectors WHERE row = ?1"),
        std::string("DELETE FROM next_vectors WHERE row = ?1"), std::string("DELETE FROM links WHERE row = ?1"),
        std::string("DELETE FROM records WHERE row = ?1")}) {
    Statement remove = TRY(connection.prepare(sql));
    TRY(remove.bind(1, row).run());
  }
  Statement note = TRY(connection.prepare("INSERT INTO deletions(seq, collection, row, id) VALUES (?1, ?2, ?3, ?4)"));
  return note.bind(1, seq).bind(2, collection).bind(3, row).bind(4, id).run();
}

Status note_erased_key(Connection& connection, std::int64_t row) {
  Statement insert = TRY(
      connection.prepare("INSERT OR IGNORE INTO erased_keys(source, content_hash, occurrence) "
                         "SELECT source, content_hash, occurrence FROM records WHERE row = ?1 AND source IS NOT NULL"));
  return insert.bind(1, row).run();
}

Status write_vector(Connection& connection, std::int64_t row, std::span<const std::uint8_t> vector) {
  Statement insert = TRY(connection.prepare(
      "INSERT INTO vectors(row, checksum, embedding) VALUES (?1, ?2, ?3) "
      "ON CONFLICT(row) DO UPDATE SET checksum = excluded.checksum, embedding = excluded.embedding"));
  return insert.bind(1, row).bind(2, blob_checksum(row, vector)).bind_blob(3, vector).run();
}

Status write_own_metadata(Connection& connection, std::int64_t row, std::string_view id, std::string_view source,
                          JsonbView metadata) {
  Statement update = TRY(connection.prepare("UPDATE records SET metadata = ?2, checksum = ?3 WHERE row = ?1"));
  return update.bind(1, row).bind_blob(2, metadata).bind(3, record_checksum(row, id, source, metadata)).run();
}

}  // namespace loci::embedded
