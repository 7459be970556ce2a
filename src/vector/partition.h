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

// Up to which distance lists are read: `ratio` times as far as the nearest one. Where a centroid is the query itself,
// any other would be infinitely farther.
float probe_limit(const std::vector<float>& distances, float ratio);
// How much farther than the nearest list this one is, so that probe_limit() of this ratio reads it.
float probe_ratio(const std::vector<float>& distances, std::size_t list);

// Squared distances of a rotated query to the centroids.
std::vector<float> centroid_distances(const float* centroids, std::size_t lists, const std::vector<float>& query);

}  // namespace loci
