// The tables in which Chroma keeps ids, documents and metadata: reading and writing single records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "loci/metadata.h"
#include "loci/record.h"
#include "loci/result.h"
#include "store/chroma/catalog.h"
#include "store/chroma/json_text.h"

namespace loci::chroma {

// The row of a record; nothing when there is none.
Result<std::optional<std::int64_t>> find_row(Connection& connection, const CollectionRow& collection,
                                             std::string_view id);

// Document and metadata of a row.
Status read_row(Connection& connection, const SchemaVersions& versions, std::int64_t row, Record& record);

// Writes the tables as Chroma's own metadata segment does: the document is a value like others, and a text to search.
class MetadataTables {
 public:
  // Errors: version_mismatch for databases of releases before 0.4.6, whose text index is another one.
  static Result<MetadataTables> open(Connection& connection, const SchemaVersions& versions,
                                     const CollectionRow& collection);

  Result<std::int64_t> insert(std::string_view id, std::int64_t seq);
  // Merges the changes into a row, and says by which write.
  Status change(std::int64_t row, std::int64_t seq, const MetadataChanges& changes);
  Status erase(std::int64_t row);
  // Everything up to `seq` is in the tables now.
  Status set_frontier(std::int64_t seq);

 private:
  MetadataTables(Connection& connection, const SchemaVersions& versions, const CollectionRow& collection)
      : connection_(&connection), versions_(versions), collection_(&collection) {}
  Status remove_value(std::int64_t row, std::string_view key);
  Status insert_value(std::int64_t row, std::string_view key, const MetadataValue& value);

  Connection* connection_;
  SchemaVersions versions_;
  const CollectionRow* collection_;
};

// Did Chroma die after it acknowledged writes, and before they were in the tables?
Result<bool> metadata_tables_lag(Connection& connection, const SchemaVersions& versions);
// Does what Chroma does at its next start: takes those writes over from the queue.
Status catch_up_metadata_tables(Connection& connection, const SchemaVersions& versions);

}  // namespace loci::chroma
