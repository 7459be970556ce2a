#include "vector/partition.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "vector/kernels.h"
#include "vector/random_numbers.h"

namespace loci {
namespace {

constexpr std::size_t kSamplesPerList = 48;
constexpr int kRounds = 8;
constexpr std::size_t kChunk = 64;  // rows that stay in the nearest cache while all centroids pass

// Centroids as the byte scan takes a query.
struct ScannedCentroids {
  std::vector<DistanceByCode> distances;
  std::vector<float> half_norms;
};

ScannedCentroids scanned(const std::vector<float>& centroids, std::size_t dimension) {
  ScannedCentroids made;
  for (std::size_t begin = 0; begin < centroids.size(); begin += dimension) {
    const float* values = centroids.data() + begin;
    made.distances.push_back(DistanceByCode::to_rotated({values, values + dimension}));
    made.half_norms.push_back(dot_of_floats(values, values, dimension) / 2);
  }
  return made;
}

// The nearest centroid of each of `count` rows from `first` on; at most kChunk of them.
void assign_chunk(const CodeTable& table, std::size_t first, std::size_t count, const ScannedCentroids& centroids,
                  std::uint32_t* list_of) {
  std::array<std::int32_t, kChunk> dots;
  std::array<float, kChunk> nearest;
  nearest.fill(std::numeric_limits<float>::infinity());
  for (std::size_t list = 0; list < centroids.distances.size(); ++list) {
    const DistanceByCode& centroid = centroids.distances[list];
    dots_of_codes(table.codes_of(first), count, table.dimension, centroid.values().data(), dots.data());
    for (std::size_t i = 0; i < count; ++i) {
      // |c|^2 / 2 - <row, c>; what the row alone adds is the same for all centroids.
      const float distance =
          centroids.half_norms[list] + centroid.distance({.scale = table.factors[first + i].scale}, dots[i]);
      if (distance >= nearest[i]) continue;
      nearest[i] = distance;
      list_of[i] = static_cast<std::uint32_t>(list);
    }
  }
}

std::vector<std::uint32_t> assign(const CodeTable& table, const ScannedCentroids& centroids) {
  std::vector<std::uint32_t> list_of(table.size());
  for (std::size_t first = 0; first < table.size(); first += kChunk)
    assign_chunk(table, first, std::min(kChunk, table.size() - first), centroids, list_of.data() + first);
  return list_of;
}

CodeTable sample_of(const CodeTable& table, std::size_t size, RandomNumbers& random) {
  if (size >= table.size()) return table;
  CodeTable sample{.dimension = table.dimension, .row_numbers = {}, .factors = {}, .codes = {}};
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t row = random.below(table.size());
    sample.row_numbers.push_back(table.row_numbers[row]);
    sample.factors.push_back(table.factors[row]);
    sample.codes.insert(sample.codes.end(), table.codes_of(row), table.codes_of(row) + table.dimension);
  }
  return sample;
}

float nearest_of(const std::vector<float>& distances) {
  constexpr float kLeast = 1e-20F;
  return std::max(*std::min_element(distances.begin(), distances.end()), kLeast);
}

void place_at(std::vector<float>& centroids, std::size_t list, const std::vector<float>& values) {
  std::copy(values.begin(), values.end(), centroids.begin() + static_cast<std::ptrdiff_t>(list * values.size()));
}

// The means of the rows of each list; a list without rows starts again at some row.
void move_centroids(const CodeTable& sample, const std::vector<std::uint32_t>& list_of, std::vector<float>& centroids,
                    RandomNumbers& random) {
  const std::size_t dimension = sample.dimension;
  std::fill(centroids.begin(), centroids.end(), 0.0F);
  std::vector<std::size_t> counts(centroids.size() / dimension);
  for (std::size_t row = 0; row < sample.size(); ++row) {
    const std::vector<float> values = sample.decoded(row);
    float* const centroid = centroids.data() + list_of[row] * dimension;
    for (std::size_t i = 0; i < dimension; ++i) centroid[i] += values[i];
    ++counts[list_of[row]];
  }
  for (std::size_t list = 0; list < counts.size(); ++list) {
    if (counts[list] == 0) {
      place_at(centroids, list, sample.decoded(random.below(sample.size())));
      continue;
    }
    float* const centroid = centroids.data() + list * dimension;
    for (std::size_t i = 0; i < dimension; ++i) centroid[i] /= static_cast<float>(counts[list]);
  }
}

}  // namespace

Partition make_partition(const CodeTable& table, std::size_t lists, std::uint64_t seed) {
  RandomNumbers random(seed);
  const CodeTable sample = sample_of(table, lists * kSamplesPerList, random);
  Partition partition{.lists = lists, .centroids = std::vector<float>(lists * table.dimension), .list_of = {}};
  for (std::size_t list = 0; list < lists; ++list)
    place_at(partition.centroids, list, sample.decoded(random.below(sample.size())));
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<std::uint32_t> list_of = assign(sample, scanned(partition.centroids, table.dimension));
    move_centroids(sample, list_of, partition.centroids, random);
  }
  partition.list_of = assign(table, scanned(partition.centroids, table.dimension));
  return partition;
}

float probe_limit(const std::vector<float>& distances, float ratio) { return nearest_of(distances) * ratio; }

float probe_ratio(const std::vector<float>& distances, std::size_t list) {
  return std::max(distances[list] / nearest_of(distances), 1.0F);
}

std::vector<float> centroid_distances(const float* centroids, std::size_t lists, const std::vector<float>& query) {
  std::vector<float> distances(lists);
  for (std::size_t list = 0; list < lists; ++list)
    distances[list] = squared_difference_of_floats(centroids + list * query.size(), query.data(), query.size());
  return distances;
}

}  // namespace loci
