// Giving labels back to records when the pickle that named them is lost.
//
// Chroma 1.x numbers labels in the order of its queue, and rows too, and neither changes when a record is updated: the
// live labels in order belong to the rows in order. That holds only if not one is missing, so the counts must agree,
// and every vector that is both in the queue and in the index must be the same. Otherwise nothing is given to anyone.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "loci/result.h"
#include "store/chroma/catalog.h"
#include "store/chroma/segment_folder.h"

namespace loci::chroma {

struct RankedRow {
  std::string_view id;
  std::int64_t seq = 0;
};

// The slot of each row, by id. Nothing when there is any doubt. `rows` are in the order of embeddings.id.
Result<std::optional<std::unordered_map<std::string_view, std::size_t>>> slots_by_rank(
    Connection& connection, const CollectionRow& collection, const SegmentFolder& segment,
    const std::vector<RankedRow>& rows, std::int64_t frontier);

}  // namespace loci::chroma
