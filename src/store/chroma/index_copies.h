// The folders that were renamed away from an index (<segment>.drift-… and its kin), and how far each can be believed.
//
// A copy has the vectors of its own frontier. From 1.0 on Chroma notes that in the database alone, where the next index
// moves it on. So it is bounded from below: a vector of an older text is none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "loci/result.h"
#include "store/chroma/catalog.h"
#include "store/chroma/recovery.h"
#include "store/chroma/segment_folder.h"

namespace loci::chroma {

struct LabelledSegment {
  std::shared_ptr<const SegmentFolder> segment;
  std::unordered_map<std::string, std::size_t> slots;  // by id
};

LabelledSegment read_labelled(std::shared_ptr<const SegmentFolder> segment);

// The copies of an index, oldest first.
std::vector<std::filesystem::path> copies_of(const std::filesystem::path& folder, std::string_view segment);

// A write up to which the copy has everything for certain. `newer` is the next index that Chroma made and persisted,
// null where there is none. Of `recovered` records, their ids and the frontier are known.
Result<std::int64_t> least_frontier(Connection& connection, const CollectionRow& collection, const Recovered& recovered,
                                    const LabelledSegment& copy, const LabelledSegment* newer);

}  // namespace loci::chroma
