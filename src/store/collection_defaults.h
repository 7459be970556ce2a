// What a backend may call when its store has nothing better: the optional methods in terms of the required ones.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "loci/collection.h"
#include "loci/result.h"

namespace loci {

// C2: gets the records, merges the given fields and upserts them: two steps, so a writer in between may be undone. A
// backend with supports_update has one atomic step instead. The vector of a record whose document stays is kept by
// upsert's own rule, and so is its unique key. Expects updates that passed check_updates.
Result<UpdateReport> update_by_get_and_upsert(Collection& collection, std::span<const RecordUpdate> updates);

// Counts by reading the metadata of all records, from one snapshot. Absent values come first.
Result<std::vector<GroupCount>> count_by_scan(const Collection& collection, std::span<const std::string> keys);

}  // namespace loci
