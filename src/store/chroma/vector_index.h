// An index of our own over the vectors of a collection, kept in memory for those who ask more than once.
//
// One-bit and byte codes (vector/segment.h) find candidates; they are ranked by the vectors as they lie in Chroma's
// files. Nothing of it is stored: a folder is Chroma's, and one question alone is answered faster without.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "loci/record.h"
#include "loci/result.h"
#include "store/chroma/recovery.h"
#include "vector/segment.h"
#include "vector/segment_search.h"

namespace loci::chroma {

// Constant after build(); many threads may use it.
class VectorIndex {
 public:
  // Is it worth its memory and the time to build it?
  static bool is_worth_it(const Recovered& recovered);
  // Nothing when the vectors cannot be indexed.
  static Result<std::shared_ptr<const VectorIndex>> build(Connection& connection, const Recovered& recovered,
                                                          DistanceMetric metric);

  // Which records may be among the nearest; `row` is a number in Recovered::records. Those that may be nearest first.
  // Nothing: the query must be measured against every record.
  std::optional<std::vector<SegmentCandidate>> candidates(const Embedding& query, std::size_t n_results) const;

 private:
  explicit VectorIndex(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {}

  const std::vector<std::uint8_t> bytes_;
  std::shared_ptr<const Segment> segment_;  // constant after build()
};

}  // namespace loci::chroma
