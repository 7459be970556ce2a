// Writing and removing the rows of a record: the one place that keeps `records`, `documents`, `vectors`, `links`,
// the word index and the counter of changes in step. Everything here runs inside the caller's write transaction.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "loci/collection.h"
#include "loci/record.h"
#include "loci/result.h"
#include "store/embedded/jsonb.h"
#include "store/embedded/sqlite.h"
#include "store/embedded/words_ahead.h"

namespace loci::embedded {

enum class IfIdExists { fail, replace };

// The column `embedded`: does the record have its vector, wait for it, or do neither?
enum class VectorState : std::int64_t { pending = 0, stored = 1, missing = 2 };

// Writes the records of one batch into one collection.
class RowWriter {
 public:
  struct Source {
    std::int64_t id = 0;
    std::string name;
    Metadata shared;
  };
  // A unique key as rows have it.
  struct Key {
    const Source* source;
    std::vector<std::uint8_t> content_hash;
    std::int64_t occurrence;
  };

  // `batch` is all that will be written: it says what the records of a new source have in common.
  static Result<RowWriter> start(Connection& connection, std::int64_t collection, std::span<const Record> batch);
  // For updates, of which there will be `count`.
  static Result<RowWriter> start(Connection& connection, std::int64_t collection, std::size_t count);

  // What becomes of texts that bring no vector, from here on; they wait for it unless told otherwise.
  void leave_without_vector(VectorState state) { without_vector_ = state; }

  Result<Written> write(const Record& record, IfIdExists if_id_exists);

  // False: there is no such record.
  Result<bool> update(const RecordUpdate& change);

  // Writes a record whose key is not there, under its id or, when another record has that, under one like it. `words`
  // are those of its text; nothing: they are still to be cut.
  Status insert_new(Record record, const Key& key, const std::optional<PackedWords>& words);

  // Gives a record other metadata and leaves its text, vector and links alone.
  Status rewrite_metadata(std::int64_t row, std::string_view id, const Source& source, const Metadata& metadata);

 private:
  struct ExistingRow {
    std::int64_t row = 0;
    std::optional<std::int64_t> source;
    VectorState vector = VectorState::pending;
  };
  struct Place {
    std::optional<std::string> wing;
    std::optional<std::string> room;
    auto operator<=>(const Place&) const = default;
  };

  RowWriter(Connection& connection, std::int64_t collection, std::int64_t first_seq, std::int64_t now);

  Result<std::optional<ExistingRow>> find_by_id(std::string_view id);
  Result<std::optional<std::string>> find_id_by_key(const Key& key, std::string_view id);
  Result<std::optional<Key>> key_of(const Record& record);
  Result<const Source*> source_named(const std::string& name);
  Result<const Source*> source_with_id(std::int64_t id);
  Result<std::optional<std::int64_t>> place_of(const Metadata& metadata);
  Result<std::int64_t> take_row();
  Status forget_erasure(const Key& key);
  Status leave_source(ExistingRow& row);
  Status insert(const Record& record, const std::optional<Key>& key, const std::optional<PackedWords>& words);
  Status replace(const ExistingRow& old, const Record& record, const std::optional<Key>& key);
  Result<bool> has_document(std::int64_t row, std::string_view text);
  Status write_document(std::int64_t row, std::string_view text);
  Status insert_words(std::int64_t row, std::string_view text, const std::optional<PackedWords>& words);
  Status drop_vector(std::int64_t row);
  Status write_links(std::int64_t row, std::span<const Link> links);

  Connection& connection_;
  const std::int64_t collection_;
  const std::int64_t now_;
  const std::string words_;
  std::int64_t next_seq_;
  std::int64_t next_row_ = 0;  // 0: not known yet
  bool has_erased_keys_ = false;
  VectorState without_vector_ = VectorState::pending;
  std::map<std::string, std::vector<const Metadata*>, std::less<>> batch_by_source_;
  std::map<std::string, Source, std::less<>> sources_;
  std::map<std::int64_t, Source> sources_by_id_;
  std::map<Place, std::int64_t> places_;
};

// Removes a record from every table and leaves a note of it for whoever follows the changes.
Status erase_row(Connection& connection, std::int64_t collection, std::int64_t row, std::string_view id);

// Notes the unique key of a row that a user erases, if it has one.
Status note_erased_key(Connection& connection, std::int64_t row);

// Stores the vector of a row, replacing the one that is there.
Status write_vector(Connection& connection, std::int64_t row, std::span<const std::uint8_t> vector);

// Stores the record's own metadata; `source` is the name of its source, empty without one.
Status write_own_metadata(Connection& connection, std::int64_t row, std::string_view id, std::string_view source,
                          JsonbView metadata);

}  // namespace loci::embedded
