// Filters as a Chroma server understands them.
//
// The server knows less than the contract: no strings in ranges, no `$contains` of metadata, lists of one type only.
// What it gets is therefore a condition that holds for every record that the filter holds for, and perhaps for more;
// whoever asks looks at the records again with loci::matches.
#pragma once

#include "loci/filter.h"
#include "store/chroma/json.h"

namespace loci::chroma {

// Null: no record can pass without being looked at, so nothing is left out. Expects filters that passed check_filter.
Json server_where(const Filter& filter);
Json server_where_document(const DocumentFilter& filter);

}  // namespace loci::chroma
