#include "store/chroma/index_copies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/chroma/made_folder.h"

namespace loci::chroma {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::filesystem::path copy_of(const MadeFolder& folder, const std::string& mark = ".drift-20260101-000000") {
  return folder.index().string() + mark;
}

// What comes out with copies: "id=first number", in the order of rows.
std::vector<std::string> recovered(const MadeFolder& folder) {
  const auto palace = std::make_shared<FolderPalace>(folder.path(), Access::read_only, FolderOptions{Copies::used});
  const auto read = palace->read([&](Connection& connection, const SchemaVersions& versions) {
    return [&]() -> Result<std::vector<std::string>> {
      std::vector<std::string> found;
      const std::vector<CollectionRow> rows = TRY(list_collections(connection, versions));
      const auto vectors = TRY(palace->vectors(connection, rows.at(0)));
      for (const RecoveredRecord& record : vectors->records) {
        const auto vector = TRY(vector_at(connection, *vectors, record.place));
        if (vector) found.push_back(record.id + "=" + std::to_string(static_cast<int>(vector->at(0))));
      }
      return found;
    }();
  });
  if (!read.ok()) throw std::runtime_error(read.error().message);
  return *read;
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
  EXPECT_THAT(recovered(folder), ElementsAre("a=1", "b=2", "c=3"));
}

TEST(IndexCopiesTest, AnUpdateThatTheNewerIndexPassedOverMakesTheVectorOfTheCopyOld) {
  const MadeFolder folder;
  rename_index_away(folder);
  folder.execute("UPDATE embeddings SET seq_id = 4 WHERE embedding_id = 'a'");
  make_newer_index(folder, {{"c", {3, 0}}}, folder.index());
  EXPECT_THAT(recovered(folder), ElementsAre("b=2", "c=3", "e=5"));
}

TEST(IndexCopiesTest, WhereNothingTellsTheFrontierTheNumberOfLabelsDoes) {
  const MadeFolder folder;
  rename_index_away(folder);  // at 4, where "x" was deleted
  folder.execute("UPDATE embeddings SET seq_id = 4 WHERE embedding_id = 'b'");
  make_newer_index(folder, {}, folder.index());
  EXPECT_THAT(recovered(folder), ElementsAre("a=1", "c=3", "e=5")) << "4 may be behind the copy";
}

TEST(IndexCopiesTest, ANewerCopyIsASuccessorToo) {
  const MadeFolder folder;
  rename_index_away(folder);
  folder.execute("UPDATE embeddings SET seq_id = 4 WHERE embedding_id = 'a'");
  make_newer_index(folder, {{"c", {3, 0}}}, copy_of(folder, ".corrupt-20260201-000000"));
  EXPECT_THAT(recovered(folder), ElementsAre("b=2", "c=3", "e=5"));
}

TEST(IndexCopiesTest, ASuccessorThatWasDeletedIsNoticedByTheQueue) {
  const MadeFolder folder;
  rename_index_away(folder);
  folder.execute("UPDATE embeddings SET seq_id = 4 WHERE embedding_id = 'a'");
  make_newer_index(folder, {{"c", {3, 0}}}, folder.index());
  std::filesystem::remove_all(folder.index());
  EXPECT_THAT(recovered(folder), ElementsAre("b=2", "c=3", "e=5"));
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
