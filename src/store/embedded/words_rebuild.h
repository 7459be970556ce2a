// Making a word index again from the rows while others go on writing.
//
// A second index is filled aside, a few rows at a time, and then takes the first one's name. What was written meanwhile
// is known by its number in the counter of changes, and is brought over in the transaction that switches. One large
// transaction would be simpler, but keeps writers waiting for minutes in a large palace. The caller holds the
// maintenance lease: nobody else rebuilds.
#pragma once

#include <cstdint>

#include "loci/result.h"
#include "store/embedded/database.h"

namespace loci::embedded {

// Returns how many rows the new index has; none when the collection was deleted meanwhile.
Result<std::int64_t> rebuild_words(Database& database, std::int64_t collection);

// Removes what a killed rebuild left; true when there was something. Inside the caller's write transaction.
Result<bool> drop_unfinished_words(Connection& connection);

}  // namespace loci::embedded
