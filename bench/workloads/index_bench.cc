// index_bench [--rows N] [--dimension N] [--lists N] [--clusters N] [--spread X] [--queries N]
//
// Question: how fast and how complete is a search of one segment of the vector index? Data: rows around random centres
// (a large spread makes them nearly isotropic, which is the hard case); queries are drawn alike and are not rows.
// Ground truth: every row measured in float32. Prints one JSON line. The store around it is measured by `loci bench
// vectors`.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "base/file_layer.h"
#include "base/temporary_folder.h"
#include "vector/distance.h"
#include "vector/segment.h"
#include "vector/segment_builder.h"
#include "vector/segment_search.h"
#include "vector/test_vectors.h"

namespace loci {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::size_t rows = 100'000;
  std::size_t dimension = 384;
  std::size_t lists = 0;
  std::size_t clusters = 1000;
  float spread = 0.6F;
  std::size_t queries = 200;
};

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// The rows one after the other.
std::vector<float> make_rows(ClusteredVectors& source, const Options& options) {
  std::vector<float> rows;
  rows.reserve(options.rows * options.dimension);
  for (std::size_t i = 0; i < options.rows; ++i) {
    const std::vector<float> row = source.next();
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return rows;
}

template <typename Distances>
std::vector<std::int64_t> ten_least(const std::vector<std::int64_t>& candidates, const Distances& distance) {
  std::vector<std::pair<float, std::int64_t>> ranked;
  for (const std::int64_t row : candidates) ranked.emplace_back(distance(row), row);
  const std::size_t size = std::min<std::size_t>(10, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(size), ranked.end());
  std::vector<std::int64_t> rows;
  for (std::size_t i = 0; i < size; ++i) rows.push_back(ranked[i].second);
  return rows;
}

int run(const Options& options) {
  ClusteredVectors source(options.dimension, options.clusters, options.spread, 1);
  const std::vector<float> rows = make_rows(source, options);
  const auto row = [&](std::int64_t number) {
    return std::span(rows).subspan(static_cast<std::size_t>(number) * options.dimension, options.dimension);
  };
  std::vector<float> center(options.dimension);
  for (std::size_t i = 0; i < options.rows; i += std::max<std::size_t>(1, options.rows / 2000)) {
    std::vector<float> sample(row(static_cast<std::int64_t>(i)).begin(), row(static_cast<std::int64_t>(i)).end());
    Encoder::normalize(DistanceMetric::cosine, sample);
    for (std::size_t j = 0; j < center.size(); ++j) center[j] += sample[j] / 2000;
  }

  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "bench.seg";
  Clock::time_point start = Clock::now();
  SegmentBuilder builder({.dimension = static_cast<std::uint32_t>(options.dimension)}, center, 7);
  for (std::size_t i = 0; i < options.rows; ++i)
    builder.add(static_cast<std::int64_t>(i), row(static_cast<std::int64_t>(i)));
  const double encode_seconds = seconds_since(start);
  start = Clock::now();
  if (options.lists > 0) builder.partition(options.lists);
  const double partition_seconds = seconds_since(start);
  start = Clock::now();
  const auto file = system_files().create(path);
  if (!file.ok() || !builder.write_to(**file).ok() || !(*file)->sync().ok()) return 1;
  const double write_seconds = seconds_since(start);
  const auto segment = Segment::open(path);
  if (!segment.ok()) return 1;

  std::vector<double> microseconds;
  std::size_t found = 0;
  std::size_t candidates_total = 0;
  std::vector<std::int64_t> all(options.rows);
  for (std::size_t i = 0; i < options.rows; ++i) all[i] = static_cast<std::int64_t>(i);
  for (std::size_t i = 0; i < options.queries + 5; ++i) {
    const std::vector<float> query = source.next();
    const DistanceTo distance(DistanceMetric::cosine, query);
    start = Clock::now();
    const auto candidates = nearest_candidates(**segment, {.query = query});
    if (!candidates.ok()) return 1;
    std::vector<std::int64_t> numbers;
    for (const SegmentCandidate& candidate : *candidates) numbers.push_back(candidate.row);
    const std::vector<std::int64_t> answer = ten_least(numbers, [&](std::int64_t n) { return distance(row(n)); });
    if (i < 5) continue;  // the first ones check the blocks
    microseconds.push_back(seconds_since(start) * 1e6);
    candidates_total += numbers.size();
    const std::vector<std::int64_t> truth = ten_least(all, [&](std::int64_t n) { return distance(row(n)); });
    const std::set<std::int64_t> wanted(truth.begin(), truth.end());
    for (const std::int64_t number : answer) found += wanted.count(number);
  }
  std::sort(microseconds.begin(), microseconds.end());
  const SegmentHeader& header = (*segment)->header();
  std::cout << "{\"bench\": \"index\", \"rows\": " << options.rows << ", \"dimension\": " << options.dimension
            << ", \"lists\": " << header.lists << ", \"spread\": " << options.spread
            << ", \"short_list\": " << header.calibration.short_list
            << ", \"probe_ratio\": " << header.calibration.probe_ratio
            << ", \"calibrated_recall\": " << header.calibration.recall
            << ", \"recall_at_10\": " << static_cast<double>(found) / (10.0 * static_cast<double>(options.queries))
            << ", \"p50_us\": " << microseconds[microseconds.size() / 2]
            << ", \"p99_us\": " << microseconds[microseconds.size() * 99 / 100]
            << ", \"candidates\": " << candidates_total / options.queries << ", \"encode_seconds\": " << encode_seconds
            << ", \"partition_seconds\": " << partition_seconds << ", \"write_seconds\": " << write_seconds
            << ", \"bytes_per_row\": "
            << static_cast<double>((*segment)->size_bytes()) / static_cast<double>(options.rows) << "}\n";
  return 0;
}

}  // namespace
}  // namespace loci

int main(int count, char** arguments) {
  loci::Options options;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string name = arguments[i];
    const char* const value = arguments[i + 1];
    const std::size_t number = std::strtoull(value, nullptr, 10);
    if (name == "--rows") options.rows = number;
    if (name == "--dimension") options.dimension = number;
    if (name == "--lists") options.lists = number;
    if (name == "--clusters") options.clusters = number;
    if (name == "--queries") options.queries = number;
    if (name == "--spread") options.spread = std::strtof(value, nullptr);
  }
  return loci::run(options);
}
