#include "store/chroma/index_copies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/chroma/made_folder_checks.h"

namespace loci::chroma {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::filesystem::path copy_of(const MadeFolder& folder, const std::string& mark = ".drift-20260101-000000") {
  return folder.index().string() + mark;
}

// Three records that were persisted at 3, and an index that was renamed away; the queue begins at 3.
void rename_index_away(const MadeFolder& folder) {
  folder.add_row("a", 1);
  folder.add_row("b", 2);
  folder.add_row("c", 3);
  folder.write_index(copy_of(folder), {{"a", {1, 0}}, {"b", {2, 0}}, {"c", {3, 0}}});
  folder.queue(3, QueueOperation::add, "c", Embedding{3, 0});
  folder.set_frontiers("3");
}

// Chroma made another index from what was left, persisted it at 5, and purged the queue up to there.
void make_newer_index(const MadeFolder& folder, const std::vector<std::pair<std::string, Embedding>>& vectors,
                      const std::filesystem::path& where) {
  folder.add_row("e", 5);
  std::vector<std::pair<std::string, Embedding>> all = vectors;
  all.emplace_back("e", Embedding{5, 0});
  folder.write_index(where, all);
  folder.execute("DELETE FROM embeddings_queue");
  folder.queue(5, QueueOperation::add, "e", Embedding{5, 0});
  folder.set_frontiers("5");
}

TEST(IndexCopiesTest, ACopyWithoutASuccessorIsAsFarAsTheDatabaseSays) {
  const MadeFolder folder;
  rename_index_away(folder);
  EXPECT_THAT(vectors_in(folder, Copies::used), ElementsAre("a=1", "b=2", "c=3"));
}

TEST(IndexCopiesTest, AnUpdateThatTheNewerIndexPassedOverMakesTheVectorOfTheCopyOld) {
  const MadeFolder folder;
  rename_index_away(folder);
  folder.set_seq("a", 4);
  make_newer_index(folder, {{"c", {3, 0}}}, folder.index());
  EXPECT_THAT(vectors_in(folder, Copies::used), ElementsAre("b=2", "c=3", "e=5"));
}

TEST(IndexCopiesTest, WhereNothingTellsTheFrontierTheNumberOfLabelsDoes) {
  const MadeFolder folder;
  rename_index_away(folder);  // at 4, where "x" was deleted
  folder.set_seq("b", 4);
  make_newer_index(folder, {}, folder.index());
  EXPECT_THAT(vectors_in(folder, Copies::used), ElementsAre("a=1", "c=3", "e=5")) << "4 may be behind the copy";
}

TEST(IndexCopiesTest, ANewerCopyIsASuccessorToo) {
  const MadeFolder folder;
  rename_index_away(folder);
  folder.set_seq("a", 4);
  make_newer_index(folder, {{"c", {3, 0}}}, copy_of(folder, ".corrupt-20260201-000000"));
  EXPECT_THAT(vectors_in(folder, Copies::used), ElementsAre("b=2", "c=3", "e=5"));
}

TEST(IndexCopiesTest, ASuccessorThatWasDeletedIsNoticedByTheQueue) {
  const MadeFolder folder;
  rename_index_away(folder);
  folder.set_seq("a", 4);
  make_newer_index(folder, {{"c", {3, 0}}}, folder.index());
  std::filesystem::remove_all(folder.index());
  EXPECT_THAT(vectors_in(folder, Copies::used), ElementsAre("b=2", "c=3", "e=5"));
}

TEST(IndexCopiesTest, TheDateBehindTheMarkDecidesWhichCopyIsNewer) {
  const MadeFolder folder;
  for (const char* mark : {".corrupt-20260301-000000", ".drift-20260201-000000", ".quarantine-20260101-000000"})
    folder.write_index(copy_of(folder, mark), {{"a", {1, 0}}});
  const auto copies = copies_of(folder.path(), folder.row().vector_segment);
  EXPECT_THAT(copies,
              ElementsAre(copy_of(folder, ".quarantine-20260101-000000"), copy_of(folder, ".drift-20260201-000000"),
                          copy_of(folder, ".corrupt-20260301-000000")));
}

TEST(IndexCopiesTest, ACopyWithoutADateIsAsOldAsItsVectors) {
  const MadeFolder folder;
  folder.write_index(copy_of(folder, ".corrupt-20200101-000000"), {{"a", {1, 0}}});
  folder.write_index(copy_of(folder, ".corrupt-1"), {{"a", {1, 0}}});
  folder.write_index(copy_of(folder, ".drift-20990101-000000"), {{"a", {1, 0}}});
  const auto copies = copies_of(folder.path(), folder.row().vector_segment);
  ASSERT_EQ(copies.size(), 3U);
  EXPECT_EQ(copies[1], copy_of(folder, ".corrupt-1"));
  EXPECT_THAT(copies_of(folder.path(), "another"), IsEmpty());
}

}  // namespace
}  // namespace loci::chroma
