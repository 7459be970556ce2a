// What SQL in a palace may call beside SQLite's own functions.
//
//   loci_where(filter, metadata, shared)  1 if the Filter (a bound pointer) holds for the record's metadata
//   loci_text(filter, document)           1 if the DocumentFilter (a bound pointer) holds for the text
//   tokenize='loci'                       the FTS5 tokenizer over text/tokenizer.h
//
// Filters run inside the query, before any cut, and by the one meaning that loci::matches gives them.
#pragma once

#include <sqlite3.h>

namespace loci::embedded {

inline constexpr char kFilterPointer[] = "loci:filter";
inline constexpr char kDocumentFilterPointer[] = "loci:document_filter";

// Returns SQLite's result code.
int register_sql_functions(sqlite3* handle);

}  // namespace loci::embedded
