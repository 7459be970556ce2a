// Writing records as Chroma does: rows of the queue, and the tables that follow from them, in one transaction. Chroma
// takes the vectors into its index from the queue when it next opens the folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "loci/record.h"
#include "loci/result.h"
#include "store/chroma/catalog.h"
#include "store/chroma/metadata_tables.h"
#include "store/chroma/queue.h"

namespace loci::chroma {

// What becomes of a record's vector when none is given.
enum class OldVector {
  kept,     // it stays as it is
  dropped,  // it would describe another text
  absent,   // there is none
};

// For one collection, inside one write transaction.
class QueueWriter {
 public:
  // Errors: version_mismatch (see MetadataTables); corruption for a poisoned frontier, behind which nothing new would
  // ever be seen.
  static Result<QueueWriter> start(Connection& connection, const SchemaVersions& versions,
                                   const CollectionRow& collection);

  // The record as a whole: values that it had and has no more go. `row`: where it is stored already.
  Status put(const Record& record, std::optional<std::int64_t> row, OldVector old_vector);
  Status erase(std::string_view id, std::int64_t row);
  // The tables are as far as the queue now.
  Status finish();

 private:
  QueueWriter(Connection& connection, const SchemaVersions& versions, const CollectionRow& collection,
              MetadataTables tables, std::int64_t last)
      : connection_(&connection), versions_(versions), collection_(&collection), tables_(tables), last_(last) {}
  Status append(QueueOperation operation, std::string_view id, const Embedding* vector, std::string_view metadata);

  Connection* connection_;
  SchemaVersions versions_;
  const CollectionRow* collection_;
  MetadataTables tables_;
  std::int64_t last_;
  bool has_written_ = false;
};

}  // namespace loci::chroma
