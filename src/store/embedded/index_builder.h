// Building the vector index of a palace from its rows, beside whoever reads and writes. One process at a time does it,
// by a lease; what it makes is seen by all once it is published, and what is left of a builder that died is removed by
// the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "loci/result.h"
#include "store/embedded/database.h"

namespace loci::embedded {

struct IndexReport {
  bool was_busy = false;     // another process is building
  std::size_t segments = 0;  // that were made
  std::size_t rows = 0;      // that are in them
  std::size_t merged = 0;    // segments that they replace
};

// Takes the next step that is worth it: brings the vectors of a collection that are in no segment into one, and makes
// anew what cannot be used; when there is nothing of that to do, sorts a large segment into lists. So searches are fast
// soon and faster later. A stored vector that turns out to be damaged is set aside: its record counts as missing.
// Errors: io.
Result<IndexReport> index_collection(Database& database, std::string_view collection);

// Makes all segments of all collections anew; waits for another builder to finish. Errors: busy, and those above.
Result<IndexReport> rebuild_index(Database& database);

}  // namespace loci::embedded
