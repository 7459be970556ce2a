// A coarse partition of a segment: lists of rows that lie near a common centroid (k-means over the byte codes), so that
// a query reads only the lists near to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vector/code_table.h"

namespace loci {

struct Partition {
  std::size_t lists = 0;
  std::vector<float> centroids;        // lists * dimension, in the rotated space
  std::vector<std::uint32_t> list_of;  // by row
};

// Trains on a sample of the rows, then assigns all. The same input gives the same partition.
Partition make_partition(const CodeTable& table, std::size_t lists, std::uint64_t seed);

// Squared distances of a rotated query to the centroids.
std::vector<float> centroid_distances(const float* centroids, std::size_t lists, const std::vector<float>& query);

}  // namespace loci
