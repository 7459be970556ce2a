// Merging records that a unique index forbids, in a palace that lost the index or was made without it.
#pragma once

#include <cstddef>

#include "loci/result.h"
#include "store/embedded/sqlite.h"

namespace loci::embedded {

enum class DuplicatesBy { id, unique_key };

// One record of each group stays: highest use_count, then oldest, then smallest id. It takes over the others' links,
// tags, counts and, if it has none, their vector. Nothing of the others is left in any table. Inside a write
// transaction; returns how many records were merged into others.
Result<std::size_t> merge_duplicates(Connection& connection, DuplicatesBy by);

// Keys that differ only in the part of the hash that the unique index leaves out are no duplicates, and the index would
// refuse them all the same: all but the first of each group get occurrences that are free. Inside a write transaction.
Status separate_similar_keys(Connection& connection);

}  // namespace loci::embedded
