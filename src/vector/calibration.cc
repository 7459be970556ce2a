#include "vector/calibration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "vector/kernels.h"
#include "vector/random_numbers.h"
#include "vector/segment_blocks.h"
#include "vector/short_list.h"

namespace loci {
namespace {

constexpr std::size_t kNeighbours = 10;
constexpr std::size_t kManyRows = 200'000;
constexpr std::size_t kSamples = 100;
constexpr std::size_t kSamplesOfMany = 96;  // each of them scans everything twice
// This part of the sampled neighbours must be found; a margin above it is for queries that are not rows.
constexpr double kWantedRecall = 0.997;
constexpr double kShortListMargin = 1.5;
// Of the ratio, or of what it is above 1, whichever is less: in many dimensions all lists are about as far.
constexpr double kProbeMargin = 0.1;
constexpr double kProbeMarginAboveOne = 0.5;
// A query lies apart from the rows when the nearest of them is so much farther off, squared, than it is for this part
// of the rows.
constexpr double kUsualRows = 0.95;
constexpr float kApart = 1.1F;
constexpr std::size_t kLeastShortList = 64;

struct Neighbours {
  std::vector<std::uint32_t> rows = {};
  float nearest = 0;  // the first one's distance
};

// The nearest neighbours of a row by its bytes, which are as good as exact, without the row itself.
Neighbours neighbours_of(const CodeTable& table, std::size_t row, const DistanceByCode& query) {
  ShortList nearest(kNeighbours + 1);
  std::array<std::int32_t, kBlockRows> dots;
  for (std::size_t first = 0; first < table.size(); first += kBlockRows) {
    const std::size_t count = std::min(kBlockRows, table.size() - first);
    dots_of_codes(table.codes_of(first), count, table.dimension, query.values().data(), dots.data());
    for (std::size_t i = 0; i < count; ++i)
      nearest.offer(query.distance(table.factors[first + i], dots[i]), static_cast<std::uint32_t>(first + i));
  }
  std::vector<ShortList::Item> items = std::move(nearest).take();
  std::sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
  Neighbours found;
  for (const ShortList::Item& item : items) {
    if (item.slot == row || found.rows.size() == kNeighbours) continue;
    if (found.rows.empty()) found.nearest = item.value;
    found.rows.push_back(item.slot);
  }
  return found;
}

// For each of the rows: how many rows the one-bit scan puts before it.
std::vector<std::size_t> ranks_of(const std::vector<std::uint32_t>& rows, std::size_t size, const BlockView& blocks,
                                  const DistanceByCode& query) {
  std::vector<float> estimates(blocks.count() * kBlockRows);
  for (std::size_t block = 0; block < blocks.count(); ++block)
    estimate_block(blocks[block], query.tables(), 0, estimates.data() + block * kBlockRows);
  estimates.resize(size);
  std::vector<float> limits;
  for (const std::uint32_t row : rows) limits.push_back(estimates[row]);
  const float farthest = *std::max_element(limits.begin(), limits.end());
  std::vector<std::size_t> ranks(rows.size());
  for (const float estimate : estimates) {
    if (estimate >= farthest) continue;
    for (std::size_t i = 0; i < limits.size(); ++i) ranks[i] += estimate < limits[i] ? 1 : 0;
  }
  return ranks;
}

// How much farther than the nearest list those of the rows are.
void add_ratios(const std::vector<std::uint32_t>& rows, const Partition& partition, const DistanceByCode& query,
                std::vector<float>& ratios) {
  const std::vector<float> distances =
      centroid_distances(partition.centroids.data(), partition.lists, {query.rotated().begin(), query.rotated().end()});
  for (const std::uint32_t row : rows) ratios.push_back(probe_ratio(distances, partition.list_of[row]));
}

// Rows to ask for, as far as there are so many different ones: where most are equal, these would hide how the others
// are found.
std::vector<std::size_t> different_rows(const CodeTable& table, std::size_t count, RandomNumbers& random) {
  constexpr std::size_t kMostDraws = 20'000;
  std::vector<std::size_t> rows;
  std::unordered_set<std::string_view> seen;
  for (std::size_t draw = 0; draw < kMostDraws && rows.size() < count; ++draw) {
    const std::size_t row = random.below(table.size());
    const std::string_view codes(reinterpret_cast<const char*>(table.codes_of(row)), table.dimension);
    if (seen.insert(codes).second) rows.push_back(row);
  }
  return rows;
}

// The value that this part of them does not exceed.
template <typename Value>
Value quantile(std::vector<Value>& values, double part) {
  std::sort(values.begin(), values.end());
  const auto at = static_cast<std::size_t>(std::ceil(part * static_cast<double>(values.size())));
  return values[std::min(at, values.size() - 1)];
}

template <typename Value>
double part_within(const std::vector<Value>& values, Value limit) {
  const auto within = std::count_if(values.begin(), values.end(), [&](const Value& value) { return value <= limit; });
  return static_cast<double>(within) / static_cast<double>(values.size());
}

}  // namespace

Calibration calibrate(const CodeTable& table, std::span<const std::uint8_t> blocks, const Partition* partition,
                      std::uint64_t seed) {
  Calibration found{.samples = 0, .short_list = kLeastShortList, .recall = 1, .probe_ratio = 0};
  if (table.size() <= kLeastShortList) return found;
  RandomNumbers random(seed);
  const BlockView view(blocks, table.dimension);
  std::vector<std::size_t> ranks;
  std::vector<float> ratios;
  std::vector<float> nearest;
  const std::size_t samples = table.size() > kManyRows ? kSamplesOfMany : kSamples;
  for (const std::size_t row : different_rows(table, samples, random)) {
    const DistanceByCode query = DistanceByCode::to_rotated(table.decoded(row));
    const Neighbours neighbours = neighbours_of(table, row, query);
    if (neighbours.rows.empty()) continue;
    for (const std::size_t rank : ranks_of(neighbours.rows, table.size(), view, query)) ranks.push_back(rank);
    if (partition != nullptr) add_ratios(neighbours.rows, *partition, query, ratios);
    nearest.push_back(neighbours.nearest + table.factors[row].offset);  // the query's constant is the row's
    ++found.samples;
  }
  if (ranks.empty()) return found;
  const double wanted = static_cast<double>(quantile(ranks, kWantedRecall) + 1) * kShortListMargin;
  const std::size_t length = std::clamp(static_cast<std::size_t>(wanted), kLeastShortList, table.size());
  found.short_list = static_cast<std::uint32_t>(length);
  found.recall = static_cast<float>(part_within(ranks, length - 1));
  found.nearest = kApart * std::max(quantile(nearest, kUsualRows), 0.0F);
  if (!ratios.empty()) {
    const double ratio = quantile(ratios, kWantedRecall);
    const double margin = std::min(ratio * kProbeMargin, (ratio - 1) * kProbeMarginAboveOne);
    found.probe_ratio = static_cast<float>(ratio + margin);
    found.recall = std::min(found.recall, static_cast<float>(part_within(ratios, found.probe_ratio)));
  }
  return found;
}

}  // namespace loci
