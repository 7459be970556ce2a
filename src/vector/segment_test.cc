#include "vector/segment.h"

#include <functional>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "vector/distance.h"
#include "vector/memory_file.h"
#include "vector/segment_builder.h"
#include "vector/segment_search.h"
#include "vector/test_vectors.h"

namespace loci {
namespace {

struct Built {
  MemoryFile file;
  std::vector<std::vector<float>> vectors;  // of the rows 10, 20, 30, …
  std::shared_ptr<const Segment> segment;

  std::shared_ptr<const Segment> open() {
    const auto opened = Segment::from_bytes(file.bytes());
    return opened.ok() ? *opened : nullptr;
  }
};

struct Shape {
  DistanceMetric metric = DistanceMetric::cosine;
  std::size_t dimension = 48;
  std::size_t rows = 1500;
  std::size_t lists = 0;
};

std::int64_t row_number(std::size_t i) { return static_cast<std::int64_t>(10 * (i + 1)); }

std::unique_ptr<Built> build(const Shape& shape) {
  auto built = std::make_unique<Built>();
  ClusteredVectors source(shape.dimension, 12, 0.5F, 4);
  SegmentBuilder builder({.palace = std::string(32, 'a'),
                          .collection = 3,
                          .generation = 77,
                          .metric = shape.metric,
                          .dimension = static_cast<std::uint32_t>(shape.dimension),
                          .model = "some model"},
                         std::vector<float>(shape.dimension, 0.01F), 11);
  for (std::size_t i = 0; i < shape.rows; ++i) {
    built->vectors.push_back(source.next());
    builder.add(row_number(i), built->vectors.back());
  }
  if (shape.lists > 0) builder.partition(shape.lists);
  EXPECT_TRUE(builder.write_to(built->file).ok());
  built->segment = built->open();
  return built;
}

std::vector<std::int64_t> exact_nearest(const Built& built, DistanceMetric metric, const std::vector<float>& query,
                                        std::size_t results, const SlotMask* mask = nullptr) {
  std::multimap<float, std::int64_t> ranked;
  for (std::size_t i = 0; i < built.vectors.size(); ++i) {
    const std::int64_t row = row_number(i);
    if (mask == nullptr || mask->has(*built.segment->slot_of(row)))
      ranked.emplace(DistanceTo(metric, query)(built.vectors[i]), row);
  }
  std::vector<std::int64_t> rows;
  for (const auto& [distance, row] : ranked) {
    if (rows.size() < results) rows.push_back(row);
  }
  return rows;
}

std::set<std::int64_t> rows_of(const Result<std::vector<SegmentCandidate>>& candidates) {
  std::set<std::int64_t> rows;
  if (candidates.ok()) {
    for (const SegmentCandidate& candidate : *candidates) rows.insert(candidate.row);
  }
  return rows;
}

// How many of the exact answers are among the candidates, over some queries.
double recall(const Built& built, DistanceMetric metric, SegmentRequest request,
              const std::function<std::vector<float>()>& next_query) {
  std::size_t found = 0;
  std::size_t wanted = 0;
  for (int i = 0; i < 40; ++i) {
    const std::vector<float> query = next_query();
    request.query = query;
    const std::set<std::int64_t> rows = rows_of(nearest_candidates(*built.segment, request));
    for (const std::int64_t row : exact_nearest(built, metric, query, request.results, request.mask)) {
      ++wanted;
      found += rows.count(row);
    }
  }
  return static_cast<double>(found) / static_cast<double>(wanted);
}

double recall(const Built& built, DistanceMetric metric, const SegmentRequest& request) {
  ClusteredVectors source(built.segment->header().dimension, 12, 0.5F, 4);
  for (int i = 0; i < 777; ++i) source.next();
  return recall(built, metric, request, [&source] { return source.next(); });
}

TEST(SegmentTest, TheHeaderSaysWhatItWasMadeFrom) {
  const auto built = build({});
  ASSERT_NE(built->segment, nullptr);
  const SegmentHeader& header = built->segment->header();
  EXPECT_EQ(header.palace, std::string(32, 'a'));
  EXPECT_EQ(header.collection, 3);
  EXPECT_EQ(header.generation, 77);
  EXPECT_EQ(header.model, "some model");
  EXPECT_EQ(header.rows, 1500U);
  EXPECT_EQ(header.first_row, 10);
  EXPECT_EQ(header.last_row, 15000);
  EXPECT_GE(header.calibration.recall, 0.99F);
  EXPECT_TRUE(built->segment->verify_all());
}

TEST(SegmentTest, ByBytesEveryNeighbourIsACandidate) {
  for (const DistanceMetric metric : {DistanceMetric::cosine, DistanceMetric::l2, DistanceMetric::ip}) {
    for (const std::size_t dimension : {2, 3, 48, 130}) {
      const auto built = build({.metric = metric, .dimension = dimension, .rows = 500});
      ASSERT_NE(built->segment, nullptr);
      EXPECT_EQ(recall(*built, metric, {}), 1.0) << to_string(metric) << ' ' << dimension;
    }
  }
}

TEST(SegmentTest, ByBitsNearlyEveryNeighbourIsACandidate) {
  for (const DistanceMetric metric : {DistanceMetric::cosine, DistanceMetric::l2, DistanceMetric::ip}) {
    const auto built = build({.metric = metric, .dimension = 130});
    ASSERT_NE(built->segment, nullptr);
    EXPECT_GE(recall(*built, metric, {.scan_bytes_up_to = 0}), 0.99) << to_string(metric);
  }
}

TEST(SegmentTest, APartitionFindsThemToo) {
  const auto built = build({.dimension = 130, .rows = 3000, .lists = 24});
  ASSERT_NE(built->segment, nullptr);
  EXPECT_EQ(built->segment->header().lists, 24U);
  EXPECT_GE(recall(*built, DistanceMetric::cosine, {.scan_bytes_up_to = 0}), 0.99);
  for (std::size_t i = 0; i < built->vectors.size(); ++i) {
    const auto slot = built->segment->slot_of(row_number(i));
    ASSERT_TRUE(slot.has_value());
    EXPECT_EQ(built->segment->row_at(*slot), row_number(i));
  }
  EXPECT_FALSE(built->segment->slot_of(15).has_value());
}

TEST(SegmentTest, QueriesUnlikeTheRowsFindTheirNeighboursToo) {
  for (const std::size_t lists : {0, 24}) {
    const auto built = build({.dimension = 64, .rows = 6000, .lists = lists});
    ASSERT_NE(built->segment, nullptr);
    EXPECT_EQ(built->segment->header().lists, lists);
    std::mt19937 random(5);
    const auto anywhere = [&random] { return random_vector(random, 64); };
    EXPECT_GE(recall(*built, DistanceMetric::cosine, {.scan_bytes_up_to = 0}, anywhere), 0.98) << lists << " lists";
  }
}

TEST(SegmentTest, AFlatSegmentBecomesTheSameWithLists) {
  const auto flat = build({.dimension = 130, .rows = 3000});
  ASSERT_NE(flat->segment, nullptr);
  auto builder = SegmentBuilder::again(*flat->segment);
  ASSERT_TRUE(builder.ok());
  builder->partition(24);
  Built sorted{.file = {}, .vectors = flat->vectors, .segment = nullptr};
  ASSERT_TRUE(builder->write_to(sorted.file).ok());
  sorted.segment = sorted.open();
  ASSERT_NE(sorted.segment, nullptr);
  EXPECT_EQ(sorted.file.bytes(), build({.dimension = 130, .rows = 3000, .lists = 24})->file.bytes())
      << "as if it had had them from the beginning";
  EXPECT_GE(recall(sorted, DistanceMetric::cosine, {.scan_bytes_up_to = 0}), 0.99);
}

TEST(SegmentTest, ADamagedSegmentIsNotMadeAgain) {
  const auto built = build({.dimension = 64, .rows = 700});
  built->file.bytes()[built->file.bytes().size() - 200] ^= 1;  // among the codes
  EXPECT_EQ(SegmentBuilder::again(*built->open()).error().kind, ErrorKind::corruption);
}

TEST(SegmentTest, InnerProductsHaveNoLists) {
  const auto built = build({.metric = DistanceMetric::ip, .rows = 500, .lists = 10});
  ASSERT_NE(built->segment, nullptr);
  EXPECT_EQ(built->segment->header().lists, 0U);
  EXPECT_FALSE(can_have_lists(built->segment->header())) << "and that is not tried again";
}

TEST(SegmentTest, RowsThatWereGatheredAreSearchedAsTheyWouldBeInTheirPlace) {
  for (const std::size_t lists : {0U, 24U}) {
    const auto built = build({.dimension = 130, .rows = 3000, .lists = lists});
    SlotMask mask(built->segment->size(), SlotMask::Start::none);
    for (std::uint32_t slot = 0; slot < built->segment->size(); slot += 20) mask.include(slot);
    const auto gathered = gather_rows(*built->segment, mask);
    ASSERT_TRUE(gathered.ok());
    const auto search = [&](const SegmentRequest& request) {
      return rows_of(nearest_candidates(*built->segment, request));
    };
    const std::vector<float>& query = built->vectors[40];
    EXPECT_EQ(search({.query = query, .only = &*gathered}),
              search({.query = query, .mask = &mask, .is_filtered = true}));
    SlotMask half(built->segment->size(), SlotMask::Start::all);
    for (std::uint32_t slot = 0; slot < 1500; ++slot) half.exclude(slot);
    for (const std::int64_t row : search({.query = query, .mask = &half, .only = &*gathered}))
      EXPECT_GE(*built->segment->slot_of(row), 1500U);
  }
}

TEST(SegmentTest, AMaskNeverLowersRecall) {
  for (const std::size_t lists : {0U, 24U}) {
    const auto built = build({.dimension = 130, .rows = 3000, .lists = lists});
    ASSERT_NE(built->segment, nullptr);
    for (const std::uint32_t keep_one_in : {2U, 10U, 50U}) {
      SlotMask mask(built->segment->size(), SlotMask::Start::none);
      for (std::uint32_t slot = 0; slot < built->segment->size(); slot += keep_one_in) mask.include(slot);
      EXPECT_GE(recall(*built, DistanceMetric::cosine, {.mask = &mask, .is_filtered = true, .scan_bytes_up_to = 0}),
                0.99)
          << keep_one_in;
    }
  }
}

TEST(SegmentTest, WhatTheMaskLeavesOutIsNeverACandidate) {
  const auto built = build({});
  SlotMask mask(built->segment->size(), SlotMask::Start::all);
  for (std::uint32_t slot = 0; slot < 700; ++slot) mask.exclude(slot);
  EXPECT_EQ(mask.count(), 800U);
  for (const std::size_t up_to : {0U, 50'000U}) {
    const auto rows = rows_of(
        nearest_candidates(*built->segment, {.query = built->vectors[3], .mask = &mask, .scan_bytes_up_to = up_to}));
    EXPECT_FALSE(rows.empty());
    for (const std::int64_t row : rows) EXPECT_GT(row, 7000);
  }
}

// Most rows are one and the same vector, and the queries are like the others.
TEST(SegmentTest, EqualRowsDoNotHideHowTheOthersAreFound) {
  constexpr std::size_t kWide = 64;
  Built built;
  std::mt19937 random(9);
  std::vector<float> same = random_vector(random, kWide);
  Encoder::normalize(DistanceMetric::cosine, same);
  std::vector<float> center = same;  // about the mean
  for (float& value : center) value *= 0.99F;
  SegmentBuilder builder({.palace = "", .dimension = kWide, .model = ""}, center, 1);
  for (std::size_t i = 0; i < 40'000; ++i) {
    built.vectors.push_back(i % 400 == 0 ? random_vector(random, kWide) : same);
    builder.add(row_number(i), built.vectors.back());
  }
  ASSERT_TRUE(builder.write_to(built.file).ok());
  built.segment = built.open();
  ASSERT_NE(built.segment, nullptr);
  const auto next = [&random] { return random_vector(random, kWide); };
  EXPECT_GE(recall(built, DistanceMetric::cosine, {.scan_bytes_up_to = 0}, next), 0.99);
}

TEST(SegmentTest, ListsOfEqualRowsAreRead) {
  Built built;
  SegmentBuilder builder({.palace = "", .metric = DistanceMetric::l2, .dimension = 4, .model = ""},
                         std::vector<float>{1, 2, 3, 4}, 1);
  for (std::int64_t row = 1; row <= 1000; ++row) builder.add(row, std::vector<float>{1, 2, 3, 4});
  builder.partition(20);
  ASSERT_TRUE(builder.write_to(built.file).ok());
  built.segment = built.open();
  ASSERT_NE(built.segment, nullptr);
  EXPECT_EQ(built.segment->header().calibration.recall, 1);
}

TEST(SegmentTest, AllEqualVectorsAreCandidates) {
  Built built;
  SegmentBuilder builder({.palace = "", .dimension = 4, .model = ""}, std::vector<float>(4), 1);
  for (std::int64_t row = 1; row <= 300; ++row) builder.add(row, std::vector<float>{1, 2, 3, 4});
  ASSERT_TRUE(builder.write_to(built.file).ok());
  const auto segment = built.open();
  ASSERT_NE(segment, nullptr);
  for (const std::size_t up_to : {0U, 50'000U}) {
    const std::vector<float> query = {4, 3, 2, 1};
    EXPECT_EQ(rows_of(nearest_candidates(*segment, {.query = query, .results = 2, .scan_bytes_up_to = up_to})).size(),
              300U);
  }
}

TEST(SegmentTest, RowsWithoutACodeAreAlwaysCandidates) {
  Built built;
  SegmentBuilder builder({.palace = "", .metric = DistanceMetric::l2, .dimension = 2, .model = ""},
                         std::vector<float>(2), 1);
  for (std::int64_t row = 1; row <= 200; ++row)
    builder.add(row, row % 10 == 0 ? std::vector<float>{1e30F, 1} : std::vector<float>{static_cast<float>(row), 1});
  ASSERT_TRUE(builder.write_to(built.file).ok());
  const auto segment = built.open();
  const std::vector<float> query = {51, 1};
  const auto rows = rows_of(nearest_candidates(*segment, {.query = query, .results = 5}));
  EXPECT_TRUE(rows.contains(51));
  EXPECT_TRUE(rows.contains(10));
  EXPECT_EQ(nearest_candidates(*segment, {.query = std::vector<float>{1e30F, 1}}).error().kind, ErrorKind::unsupported);
}

TEST(SegmentTest, EveryDamagedByteIsNoticed) {
  const auto built = build({.dimension = 16, .rows = 200});
  std::vector<std::uint8_t>& bytes = built->file.bytes();
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    const std::size_t at = random() % bytes.size();
    const auto flip = static_cast<std::uint8_t>(1 << random() % 8);
    bytes[at] ^= flip;
    const auto segment = built->open();
    EXPECT_TRUE(segment == nullptr || !segment->verify_all()) << "byte " << at;
    bytes[at] ^= flip;
  }
}

TEST(SegmentTest, ADamagedBlockMakesTheSearchAnError) {
  const auto built = build({.dimension = 64, .rows = 700});
  built->file.bytes()[built->file.bytes().size() - 200] ^= 1;  // among the codes
  const auto segment = built->open();
  ASSERT_NE(segment, nullptr);
  EXPECT_EQ(nearest_candidates(*segment, {.query = built->vectors[0]}).error().kind, ErrorKind::corruption);
  EXPECT_FALSE(segment->is_intact());
}

TEST(SegmentTest, AFileOfAnotherLengthIsNotASegment) {
  const auto built = build({.dimension = 16, .rows = 200});
  std::vector<std::uint8_t> bytes = built->file.bytes();
  for (const std::size_t size : {std::size_t{0}, std::size_t{100}, kSegmentHeaderBytes, bytes.size() - 1}) {
    const auto cut = Segment::from_bytes(std::span(bytes).first(size));
    ASSERT_FALSE(cut.ok());
    EXPECT_EQ(cut.error().kind, ErrorKind::corruption);
  }
  bytes.push_back(0);
  EXPECT_FALSE(Segment::from_bytes(bytes).ok());
}

}  // namespace
}  // namespace loci
