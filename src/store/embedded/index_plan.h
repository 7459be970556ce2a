// What a builder of the vector index is to do, as one snapshot shows it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loci/result.h"
#include "store/embedded/catalog.h"
#include "store/embedded/index_context.h"
#include "store/embedded/segment_catalog.h"
#include "store/embedded/sqlite.h"

namespace loci::embedded {

enum class Rebuild { what_is_due, everything };

struct IndexPlan {
  std::string palace;
  CollectionRow collection;
  std::int64_t seq = 0;            // the change up to which the rows below are complete
  std::vector<std::int64_t> rows;  // to be put into new segments, ascending
  std::vector<SegmentRow> replaced;
  std::vector<SegmentRow> kept;
  bool only_covers = false;  // nothing to build, but the segments can be said to cover more

  bool is_empty() const { return rows.empty() && replaced.empty() && !only_covers; }
};

Result<IndexPlan> plan_index(Connection& connection, IndexContext& index, const CollectionRow& collection,
                             Rebuild rebuild);

// A segment that is large enough for lists and has none.
struct FlatSegment {
  std::string palace;
  LiveSegment live;
};
Result<std::optional<FlatSegment>> find_flat_segment(Connection& connection, IndexContext& index,
                                                     const CollectionRow& collection);

// Tiers: a new segment takes in every one that is not much larger than what it has so far, so that their number grows
// with the logarithm of the rows, and those of which much is dead. The rows of `tail` are in none.
std::vector<SegmentRow> segments_to_merge(std::vector<SegmentRow> segments, std::size_t tail);

}  // namespace loci::embedded
