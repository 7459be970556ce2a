#include "store/chroma/hnsw_files.h"

#include <limits>

#include <gtest/gtest.h>

#include "store/chroma/test_folder.h"

namespace loci::chroma {
namespace {

constexpr HnswGeometry kGeometry{.neighbours = 16, .dimension = 3};

TEST(HnswFilesTest, AHeaderGivesTheGeometry) {
  const Result<HnswHeader> header = parse_hnsw_header(made_header(kGeometry, 7));
  ASSERT_TRUE(header.ok()) << header.error().message;
  EXPECT_EQ(header->geometry, kGeometry);
  EXPECT_EQ(header->count, 7U);
  EXPECT_EQ(HnswGeometry({.neighbours = 16, .dimension = 384}).slot_bytes(), 1676U);
}

TEST(HnswFilesTest, AHeaderOfAnyOtherBytesIsRefused) {
  const Bytes good = made_header(kGeometry, 7);
  for (std::size_t cut = 0; cut < good.size(); ++cut)
    EXPECT_FALSE(parse_hnsw_header(std::span(good).first(cut)).ok()) << cut;
  // Counts, level, entry point and the rest may be anything; what the geometry follows from may not.
  for (const std::size_t offset : {0, 4, 28, 36, 44, 60, 68, 76}) {
    Bytes bad = good;
    bad[offset] ^= 0x55;
    EXPECT_FALSE(parse_hnsw_header(bad).ok()) << offset;
    for (std::size_t i = 0; i < 8 && offset > 0; ++i) bad[offset + i] = 0xff;
    EXPECT_FALSE(parse_hnsw_header(bad).ok()) << offset;
  }
}

TEST(HnswFilesTest, ASlotHasALabelAMarkAndAVector) {
  Bytes data;
  append_slot(data, kGeometry, 2, {1, 2, 3});
  append_slot(data, kGeometry, 1, {4, 5, 6}, true);
  data.resize(data.size() + 100);  // less than a slot
  const HnswSlots slots(data, kGeometry);
  ASSERT_EQ(slots.size(), 2U);
  EXPECT_EQ(slots.label(0), 2U);
  EXPECT_FALSE(slots.is_deleted(0));
  EXPECT_TRUE(slots.is_deleted(1));
  EXPECT_EQ(Embedding(slots.vector(1).begin(), slots.vector(1).end()), (Embedding{4, 5, 6}));
}

TEST(HnswFilesTest, OnlyAFinitePositiveNumberIsALength) {
  Bytes lengths;
  for (const float length :
       {2.5F, 0.0F, -1.0F, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
    append(lengths, length);
  EXPECT_EQ(vector_length(lengths, 0), 2.5F);
  for (std::size_t slot = 1; slot < 7; ++slot) EXPECT_EQ(vector_length(lengths, slot), std::nullopt) << slot;
}

TEST(HnswFilesTest, LinkListsAreWholeOrNot) {
  Bytes links;
  append<std::uint32_t>(links, 0);
  append<std::uint32_t>(links, static_cast<std::uint32_t>(2 * kGeometry.level_bytes()));
  links.resize(links.size() + 2 * kGeometry.level_bytes());
  append<std::uint32_t>(links, 0);
  EXPECT_EQ(check_link_lists(links, 3, kGeometry), "");
  for (std::size_t cut = 0; cut < links.size(); ++cut)
    EXPECT_NE(check_link_lists(std::span(links).first(cut), 3, kGeometry), "") << cut;
  EXPECT_NE(check_link_lists(links, 2, kGeometry), "");
  EXPECT_NE(check_link_lists(links, std::numeric_limits<std::uint64_t>::max(), kGeometry), "");
  links[4] ^= 1;
  EXPECT_NE(check_link_lists(links, 3, kGeometry), "") << "no whole levels";
}

}  // namespace
}  // namespace loci::chroma
