// Rows whose page is lost, put together from the indexes of their table.
//
// From a damaged database into one that is made anew; what is there already stays as it is. What is said in return:
// could the indexes be read to their ends, so that nothing else is lost?
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "loci/result.h"
#include "store/chroma/catalog.h"

namespace loci::chroma {

// The keys of what is lost of a record, by its row (embeddings.id); kDocumentKey is its text.
using LostValues = std::map<std::int64_t, std::vector<std::string>>;

// Rows of the table embeddings. No index has the number of a record's last write: 0 is in its place.
Result<bool> put_records_together(Connection& damaged, Connection& made);

// Rows of embedding_metadata or embedding_metadata_array. Of some values the indexes have no more than the key.
Result<bool> put_values_together(Connection& damaged, Connection& made, std::string_view table, LostValues& lost);

// Rows of the table migrations: which they were, but not their texts.
Result<bool> put_migrations_together(Connection& damaged, Connection& made);

}  // namespace loci::chroma
