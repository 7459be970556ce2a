// What there is to say about the vector index of a palace.
#pragma once

#include <string>
#include <vector>

#include "loci/result.h"
#include "store/embedded/catalog.h"
#include "store/embedded/index_context.h"
#include "store/embedded/sqlite.h"

namespace loci::embedded {

struct IndexState {
  std::size_t segments = 0;
  std::size_t rows = 0;  // in live slots
  std::size_t dead = 0;
  std::size_t tail = 0;  // vectors that are in no segment
  std::size_t lists = 0;
  std::size_t size_bytes = 0;
  double recall = 1;    // the least that was measured at 10
  bool is_due = false;  // the next builder has something to do
  std::vector<std::string>
      problems;  // segments that cannot be used, and why: they are ignored, and the search is exact
};

enum class IndexCheck { headers, every_byte };

// Of one collection.
Result<IndexState> index_state(Connection& connection, IndexContext& index, const CollectionRow& collection,
                               IndexCheck check = IndexCheck::headers);
// Of all.
Result<IndexState> index_state(Connection& connection, IndexContext& index);

}  // namespace loci::embedded
