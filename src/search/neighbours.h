// What stands before and after a hit in its source.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "loci/collection.h"
#include "loci/record.h"
#include "loci/result.h"

namespace loci {

struct Neighbours {
  std::vector<Record> before;  // in the order of the source
  std::vector<Record> after;
};

// For each record the up to `count` drawers on either side of it in the same source, by their chunk index; none for a
// record that is not part of a source. One read for all of them. Errors: those of the collection.
Result<std::vector<Neighbours>> neighbours_of(const Collection& drawers, std::span<const Record* const> records,
                                              std::size_t count);

}  // namespace loci
