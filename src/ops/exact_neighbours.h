// The nearest rows of a file by comparing with all of them: what an index is measured against.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "loci/collection.h"
#include "ops/vector_file.h"

namespace loci {

// Which rows take part.
using TakesPart = std::function<bool(std::size_t row)>;

class ExactNeighbours {
 public:
  // Compares every query with every row that takes part. Uses all processors.
  ExactNeighbours(const VectorFile& base, const VectorFile& queries, DistanceMetric metric, std::size_t count,
                  const TakesPart& takes_part);

  // The part of the true neighbours that was found, over all queries: found[i] are the rows found for query i. A row as
  // near as the last true neighbour is one too. A row that does not take part, or comes twice, is not counted.
  double recall(const std::vector<std::vector<std::size_t>>& found) const;

 private:
  const VectorFile& base_;
  const VectorFile& queries_;
  const DistanceMetric metric_;
  const TakesPart takes_part_;
  std::size_t count_ = 0;        // neighbours of each query; fewer when there are fewer rows
  std::vector<float> farthest_;  // of the true neighbours, by query
};

}  // namespace loci
