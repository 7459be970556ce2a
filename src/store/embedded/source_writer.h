// The sources of a collection, as rows: what is stored with them, and bringing one to what it is now. Everything here
// runs inside the caller's transaction.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loci/result.h"
#include "loci/source.h"
#include "store/embedded/jsonb.h"
#include "store/embedded/row_writer.h"
#include "store/embedded/sqlite.h"
#include "store/embedded/words_ahead.h"

namespace loci::embedded {

Result<std::vector<SourceInfo>> list_sources(Connection& connection, std::int64_t collection, std::string_view prefix);

// Brings sources to what they are now.
class SourceWriter {
 public:
  // `words` are those of the updates' texts, and outlive it.
  static Result<SourceWriter> start(Connection& connection, std::int64_t collection,
                                    std::span<const SourceUpdate> updates, WordsAhead& words);

  // The updates come in the order in which start() got them.
  Result<SourceReport> replace(const SourceUpdate& update);

 private:
  struct StoredRecord {
    std::int64_t row = 0;
    std::string id;
    Jsonb own;
  };
  using RowKey = std::pair<std::vector<std::uint8_t>, std::int64_t>;  // content hash and occurrence
  struct StoredSource {
    RowWriter::Source source;
    Metadata old_shared;
    std::map<RowKey, StoredRecord> records;
  };

  SourceWriter(Connection& connection, std::int64_t collection, RowWriter rows, WordsAhead& words)
      : connection_(connection), collection_(collection), rows_(std::move(rows)), words_(words) {}

  Result<std::optional<RowWriter::Source>> find(std::string_view name);
  // Nothing when there is none to rename. What is held back of a left-over source with the new name it takes over.
  Result<std::optional<RowWriter::Source>> find_and_rename(std::string_view from, const std::string& to,
                                                           const std::optional<RowWriter::Source>& left_over);
  // Is it there only for the sake of what is held back of it?
  Result<bool> is_left_over(std::int64_t source);
  Result<RowWriter::Source> create(const SourceUpdate& update);
  Status rename(RowWriter::Source& source, const std::string& name);
  Result<bool> has_state(std::int64_t source, std::string_view state);
  Status share(StoredSource& stored, const SourceUpdate& update);
  Result<std::map<RowKey, StoredRecord>> load_records(const RowWriter::Source& source);
  Status note_erased(std::int64_t source, const RowKey& key);
  Result<bool> is_erased(std::int64_t source, const RowKey& key);
  // True: something of its metadata changed.
  Result<bool> move(const StoredSource& stored, const StoredRecord& record, const SourceRecord& now);
  Status store(const StoredSource& stored, const SourceUpdate& update, std::size_t number, const RowKey& key);
  Status forget_erasures_but(std::int64_t source, std::span<const SourceRecord> records);
  Status set_state(std::int64_t source, std::string_view state);

  Connection& connection_;
  const std::int64_t collection_;
  RowWriter rows_;
  WordsAhead& words_;
  std::size_t texts_before_ = 0;  // in the updates before the one at hand
};

// Removes a source with its records and all that is noted with it but what a user erased, and says how many records
// there were.
Result<std::size_t> erase_source(Connection& connection, std::int64_t collection, std::string_view name);

}  // namespace loci::embedded
