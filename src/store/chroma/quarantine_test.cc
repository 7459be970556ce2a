#include "store/chroma/quarantine.h"

#include <chrono>
#include <cmath>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "store/chroma/made_folder.h"

namespace loci::chroma {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

constexpr std::int64_t kDatabaseSeconds = 1'700'000'000;
constexpr std::int64_t kNowMs = 1'767'225'600'000;

void set_changed(const std::filesystem::path& file, std::int64_t seconds) {
  const timespec times[2] = {{seconds, 0}, {seconds, 0}};
  if (::utimensat(AT_FDCWD, file.c_str(), times, 0) != 0)
    throw std::runtime_error("cannot set the time of " + file.string());
}

// A folder like those of MemPalace's tests: an empty database, and segments whose index is older by so many seconds.
class BareFolder {
 public:
  BareFolder() { touch(path() / kDatabaseName, 0); }
  const std::filesystem::path& path() const { return folder_.path(); }
  void add(const std::string& name, std::int64_t gap_seconds) const {
    std::filesystem::create_directory(path() / name);
    touch(path() / name / "data_level0.bin", gap_seconds);
  }
  Result<QuarantineReport> quarantine(Apply apply = Apply::yes, double stale_seconds = 3600) const {
    FolderPalace palace(path(), Access::read_only, {});
    return quarantine_stale(palace, {.stale_seconds = stale_seconds, .apply = apply}, kNowMs);
  }

 private:
  static void touch(const std::filesystem::path& file, std::int64_t gap_seconds) {
    std::ofstream(file).flush();
    set_changed(file, kDatabaseSeconds - gap_seconds);
  }
  const TemporaryFolder folder_;
};

TEST(QuarantineTest, RenamesADriftedSegment) {
  const BareFolder folder;
  folder.add("abcd-1234-5678", 7200);
  const auto report = folder.quarantine();
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_EQ(report->moved.size(), 1U);
  EXPECT_EQ(report->moved[0].from, folder.path() / "abcd-1234-5678");
  EXPECT_THAT(report->moved[0].to.filename().string(), MatchesRegex("abcd-1234-5678\\.drift-[0-9]{8}-[0-9]{6}"));
  EXPECT_NEAR(report->moved[0].gap_seconds, 7200, 1);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "abcd-1234-5678"));
  EXPECT_TRUE(std::filesystem::exists(report->moved[0].to / "data_level0.bin"));
}

TEST(QuarantineTest, WithoutApplyNothingIsRenamed) {
  const BareFolder folder;
  folder.add("abcd-1234-5678", 7200);
  const auto report = folder.quarantine(Apply::no);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->moved.size(), 1U);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "abcd-1234-5678"));
}

TEST(QuarantineTest, LeavesAFreshSegmentAlone) {
  const BareFolder folder;
  folder.add("abcd-1234-5678", 10);
  folder.add("abcd-9999-5678", -10);
  const auto report = folder.quarantine();
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(report->moved, IsEmpty());
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "abcd-1234-5678"));
  EXPECT_EQ(folder.quarantine(Apply::no, 5)->moved.size(), 1U) << "the limit is the caller's";
}

TEST(QuarantineTest, NoPalaceAndNoDatabaseAreNothingToDo) {
  const TemporaryFolder folder;
  for (const std::filesystem::path& path : {folder.path() / "missing", folder.path()}) {
    FolderPalace palace(path, Access::read_only, {});
    const auto report = quarantine_stale(palace, {.apply = Apply::yes}, kNowMs);
    ASSERT_TRUE(report.ok()) << report.error().message;
    EXPECT_THAT(report->moved, IsEmpty());
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "missing"));
}

TEST(QuarantineTest, SkipsWhatIsQuarantinedAlready) {
  const BareFolder folder;
  folder.add("abcd-1234.drift-20260101-000000", 99'999);
  folder.add("abcd-1234.corrupt-20260101-000000", 99'999);
  folder.add("abcd-1234.quarantine-20260101-000000", 99'999);
  folder.add(".hidden-folder", 99'999);
  folder.add("nodash", 99'999);
  const auto report = folder.quarantine();
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(report->moved, IsEmpty());
}

TEST(QuarantineTest, ANameThatIsTakenIsNotTakenAgain) {
  const BareFolder folder;
  folder.add("abcd-1234-5678", 7200);
  const auto first = folder.quarantine();
  ASSERT_TRUE(first.ok());
  folder.add("abcd-1234-5678", 7200);
  folder.add("abcd-1234-5679", 7200);
  const auto second = folder.quarantine();
  ASSERT_TRUE(second.ok());
  ASSERT_EQ(second->moved.size(), 2U);
  EXPECT_EQ(second->moved[0].to.string(), first->moved[0].to.string() + "-2");
  EXPECT_TRUE(std::filesystem::exists(first->moved[0].to));
  EXPECT_TRUE(std::filesystem::exists(second->moved[0].to));
}

// Two records, persisted; `purged`: only the last row of the queue is left.
void fill(const MadeFolder& folder, bool purged) {
  folder.add_row("a", 1);
  folder.add_row("b", 2);
  folder.write_index({{"a", {1, 0}}, {"b", {0, 1}}});
  if (!purged) folder.queue(1, QueueOperation::add, "a", Embedding{1, 0});
  folder.queue(2, QueueOperation::add, "b", Embedding{0, 1});
  folder.set_frontiers("2");
  set_changed(folder.index() / "data_level0.bin", kDatabaseSeconds - 7200);
}

Result<QuarantineReport> quarantine(const MadeFolder& folder, bool with_losses = false) {
  set_changed(folder.path() / kDatabaseName, kDatabaseSeconds);
  return quarantine_stale(*folder.palace(), {.apply = Apply::yes, .with_losses = with_losses}, kNowMs);
}

TEST(QuarantineTest, RefusesToLoseVectorsThatOnlyTheIndexHolds) {
  const MadeFolder folder;
  fill(folder, true);
  const auto before = folder.names();
  const auto report = quarantine(folder);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_THAT(report->moved, IsEmpty());
  ASSERT_EQ(report->refused.size(), 1U);
  EXPECT_EQ(report->refused[0].segment, folder.row().vector_segment);
  EXPECT_EQ(report->refused[0].collection, "c");
  EXPECT_EQ(report->refused[0].only_here, 1U);
  EXPECT_THAT(report->refused[0].reason, HasSubstr("would lose 1 vector "));
  EXPECT_EQ(folder.names(), before);
}

TEST(QuarantineTest, RenamesAllTheSameWhenTheLossIsTaken) {
  const MadeFolder folder;
  fill(folder, true);
  const auto report = quarantine(folder, true);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->moved.size(), 1U);
  EXPECT_THAT(report->refused, IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(folder.index()));
}

TEST(QuarantineTest, RenamesAnIndexThatTheQueueCanMakeAgain) {
  const MadeFolder folder;
  fill(folder, false);
  const auto report = quarantine(folder);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->moved.size(), 1U);
  EXPECT_THAT(report->refused, IsEmpty());
}

TEST(QuarantineTest, AnUpdateInTheQueueGivesChromaNoVectorBack) {
  const MadeFolder folder;
  fill(folder, false);
  folder.execute("UPDATE embeddings_queue SET operation = 1 WHERE id = 'a'");
  const auto report = quarantine(folder);
  ASSERT_TRUE(report.ok());
  ASSERT_EQ(report->refused.size(), 1U);
  EXPECT_EQ(report->refused[0].only_here, 1U);
}

TEST(QuarantineTest, AnAddThatChromaPassedOverGivesNoVectorBack) {
  const MadeFolder folder;
  fill(folder, true);
  folder.queue(3, QueueOperation::add, "a", Embedding{9, 9});
  folder.set_frontier_of_tables(3);
  const auto report = quarantine(folder);
  ASSERT_TRUE(report.ok());
  ASSERT_EQ(report->refused.size(), 1U);
  EXPECT_EQ(report->refused[0].only_here, 1U);
}

TEST(QuarantineTest, VectorsWithoutTheirLabelsAreKeptToo) {
  const MadeFolder folder;
  fill(folder, false);
  folder.execute("DELETE FROM embeddings_queue WHERE id = 'a'");
  folder.queue(3, QueueOperation::erase, "other");
  std::filesystem::remove(folder.index() / "index_metadata.pickle");
  const auto report = quarantine(folder);
  ASSERT_TRUE(report.ok());
  ASSERT_EQ(report->refused.size(), 1U);
  EXPECT_GE(report->refused[0].only_here, 1U);
}

TEST(QuarantineTest, AFolderOfADeletedCollectionMayGo) {
  const MadeFolder folder;
  fill(folder, true);
  folder.execute("DELETE FROM segments; DELETE FROM collections");
  const auto report = quarantine(folder);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->moved.size(), 1U);
}

TEST(QuarantineTest, WithoutKnowingTheCoverageNothingIsRenamed) {
  const MadeFolder folder;
  fill(folder, true);
  folder.execute("DROP TABLE migrations");
  EXPECT_EQ(quarantine(folder).error().kind, ErrorKind::corruption);
  EXPECT_TRUE(std::filesystem::exists(folder.index()));
}

}  // namespace
}  // namespace loci::chroma
