#include "store/chroma/seq_id_repair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/chroma/made_folder.h"

namespace loci::chroma {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

MendReport repaired(const MadeFolder& folder, Apply apply) {
  const auto report = repair_seq_ids(*folder.palace(Access::read_write), apply);
  if (!report.ok()) throw std::runtime_error(report.error().message);
  return *report;
}

constexpr const char* kFrontiers = "SELECT group_concat(typeof(seq_id) || ' ' || quote(seq_id), ', ') FROM max_seq_id";
constexpr const char* kRows = "SELECT group_concat(typeof(seq_id) || ' ' || quote(seq_id), ', ') FROM embeddings";

// A queue whose last row is where the frontiers are.
void fill_numbers(const MadeFolder& folder, const std::string& frontiers) {
  folder.add_row("a", 99);
  folder.queue(99, QueueOperation::add, "a", Embedding{1, 0});
  folder.set_frontiers(frontiers);
}

TEST(SeqIdRepairTest, ConvertsBlobsToIntegersBehindChromasMigration) {
  const MadeFolder folder;
  fill_numbers(folder, "x'0000000000000063'");
  folder.execute("UPDATE embeddings SET seq_id = x'000000000000002a'");
  const MendReport planned = repaired(folder, Apply::no);
  EXPECT_EQ(planned.changed, 3U);
  EXPECT_THAT(folder.text(kFrontiers), HasSubstr("blob")) << "nothing is done without being asked";
  const MendReport report = repaired(folder, Apply::yes);
  EXPECT_EQ(report.changed, 3U);
  EXPECT_THAT(report.left, IsEmpty());
  EXPECT_EQ(report.changes.at(0).from, "x'0000000000000063'");
  EXPECT_EQ(report.changes.at(0).to, "99");
  EXPECT_EQ(folder.text(kFrontiers), "integer 99, integer 99");
  EXPECT_EQ(folder.text(kRows), "integer 42");
  EXPECT_EQ(repaired(folder, Apply::yes).changed, 0U) << "the second time there is nothing to do";
}

TEST(SeqIdRepairTest, DoesNothingWithoutBlobs) {
  const MadeFolder folder;
  fill_numbers(folder, "99");
  const MendReport report = repaired(folder, Apply::yes);
  EXPECT_EQ(report.changed, 0U);
  EXPECT_THAT(report.left, IsEmpty());
  EXPECT_EQ(folder.text(kFrontiers), "integer 99, integer 99");
}

TEST(SeqIdRepairTest, NoDatabaseIsNothingToDo) {
  const TemporaryFolder empty;
  FolderPalace palace(empty.path(), Access::read_write, {});
  const auto report = repair_seq_ids(palace, Apply::yes);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->changed, 0U);
  EXPECT_TRUE(std::filesystem::is_empty(empty.path()));
}

TEST(SeqIdRepairTest, LeavesBlobsAloneBeforeChromasMigrationAndSaysWhy) {
  const MadeFolder folder;
  folder.make_old();
  fill_numbers(folder, "x'0000000000000063'");
  folder.execute("UPDATE embeddings SET seq_id = x'0000000000000063'");
  const MendReport report = repaired(folder, Apply::yes);
  EXPECT_EQ(report.changed, 0U);
  ASSERT_EQ(report.left.size(), 1U);
  EXPECT_FALSE(report.left[0].needs_attention);
  EXPECT_THAT(report.left[0].detail, HasSubstr("metadb 5) has not run"));
  EXPECT_THAT(folder.text(kFrontiers), HasSubstr("blob X'0000000000000063', blob"));
}

TEST(SeqIdRepairTest, TakesBackAConversionBeforeChromasMigration) {
  const MadeFolder folder;
  folder.make_old();
  fill_numbers(folder, "99");
  const MendReport report = repaired(folder, Apply::yes);
  EXPECT_EQ(report.changed, 3U);
  EXPECT_EQ(folder.text(kFrontiers), "blob X'0000000000000063', blob X'0000000000000063'");
  EXPECT_EQ(folder.text(kRows), "blob X'0000000000000063'");
}

TEST(SeqIdRepairTest, ReadsBackWhatTheMigrationPoisoned) {
  const MadeFolder folder;
  fill_numbers(folder, std::to_string(0x1111111111113939));  // was 99
  const MendReport report = repaired(folder, Apply::yes);
  EXPECT_EQ(report.changed, 2U);
  EXPECT_EQ(folder.text(kFrontiers), "integer 99, integer 99");
}

TEST(SeqIdRepairTest, AnEmptiedQueueGoesOnBehindTheFrontier) {
  const MadeFolder folder;
  fill_numbers(folder, std::to_string(0x1111111111113939));
  folder.execute("DELETE FROM embeddings_queue");
  const MendReport report = repaired(folder, Apply::yes);
  EXPECT_EQ(report.changed, 3U);
  EXPECT_EQ(folder.text("SELECT seq_id || ' ' || operation || ' ' || (topic LIKE '%/' || (SELECT id FROM collections)) "
                        "FROM embeddings_queue"),
            "99 3 1");
}

TEST(SeqIdRepairTest, WhatIsNoNumberIsLeftAndTold) {
  const MadeFolder folder;
  fill_numbers(folder, "x'0102'");
  const MendReport report = repaired(folder, Apply::yes);
  EXPECT_EQ(report.changed, 0U);
  ASSERT_EQ(report.left.size(), 2U);
  EXPECT_TRUE(report.left[0].needs_attention);
  EXPECT_EQ(folder.text(kFrontiers), "blob X'0102', blob X'0102'");
}

TEST(SeqIdRepairTest, ADatabaseOfAnotherProgramIsRefused) {
  const MadeFolder folder;
  fill_numbers(folder, "x'0000000000000063'");
  folder.execute("DROP TABLE migrations");
  const auto report = repair_seq_ids(*folder.palace(Access::read_write), Apply::yes);
  EXPECT_EQ(report.error().kind, ErrorKind::corruption);
  EXPECT_THAT(folder.text(kFrontiers), HasSubstr("blob"));
}

}  // namespace
}  // namespace loci::chroma
