#include "store/chroma/recovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/chroma/made_folder_checks.h"

namespace loci::chroma {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Two records that were persisted at 2, where the queue was purged.
void persist_two(const MadeFolder& folder) {
  folder.add_row("a", 1);
  folder.add_row("b", 2);
  folder.write_index({{"a", {1, 0}}, {"b", {2, 0}}});
  folder.queue(2, QueueOperation::add, "b", Embedding{2, 0});
  folder.set_frontiers("2");
}
// Also as far as the tables: nothing is to be caught up.
void queue(const MadeFolder& folder, std::int64_t seq, QueueOperation operation, const std::string& id,
           const std::optional<Embedding>& vector = {}) {
  folder.queue(seq, operation, id, vector);
  folder.set_frontier_of_tables(seq);
}
// A record without an index, whose add is in a queue that was purged up to before it.
void add_in_a_purged_queue(const MadeFolder& folder) {
  folder.add_row("a", 4);
  folder.queue(2, QueueOperation::update, "gone");
  folder.queue(3, QueueOperation::add, "a", Embedding{9, 9});
  folder.queue(4, QueueOperation::update, "a");
  folder.set_frontiers("4");
}
void rename_index_away(const MadeFolder& folder) {
  std::filesystem::rename(folder.index(), folder.index().string() + ".drift-20260101-000000");
}

TEST(RecoveryTest, AnUpdateOfWhatWasNotThereIsNobodys) {
  const MadeFolder folder;
  persist_two(folder);
  queue(folder, 3, QueueOperation::update, "g", Embedding{7, 7});
  queue(folder, 4, QueueOperation::add, "g", Embedding{3, 0});
  folder.add_row("g", 4);
  EXPECT_THAT(vectors_in(folder), ElementsAre("a=1", "b=2", "g=3"));
  rename_index_away(folder);
  EXPECT_THAT(vectors_in(folder), ElementsAre("b=2", "g=3"));
  EXPECT_THAT(vectors_in(folder, Copies::used), ElementsAre("a=1", "b=2", "g=3"));
}

TEST(RecoveryTest, AnAddOfWhatWasThereIsNobodys) {
  const MadeFolder folder;
  persist_two(folder);
  queue(folder, 3, QueueOperation::add, "a", Embedding{9, 9});
  EXPECT_THAT(vectors_in(folder), ElementsAre("a=1", "b=2"));
  folder.write(folder.index() / "data_level0.bin", {});
  EXPECT_THAT(vectors_in(folder), ElementsAre("b=2"));
  std::filesystem::remove(folder.index() / "data_level0.bin");
  folder.write_index({{"a", {1, 0}}, {"b", {2, 0}}});
  rename_index_away(folder);
  EXPECT_THAT(vectors_in(folder), ElementsAre("b=2"));
  EXPECT_THAT(vectors_in(folder, Copies::used), ElementsAre("a=1", "b=2"));
}

TEST(RecoveryTest, AnAddOfWhatWasThereStaysNobodysWhenTheRecordIsChangedBehindIt) {
  const MadeFolder folder;
  persist_two(folder);
  queue(folder, 3, QueueOperation::add, "a", Embedding{9, 9});
  queue(folder, 4, QueueOperation::update, "a");
  folder.set_seq("a", 4);
  EXPECT_THAT(vectors_in(folder), ElementsAre("a=1", "b=2"));
  rename_index_away(folder);
  EXPECT_THAT(vectors_in(folder), ElementsAre("b=2")) << "b was made later, and before the add";
}

TEST(RecoveryTest, WithoutLabelsTooAnAddOfWhatWasThereIsNobodys) {
  const MadeFolder folder;
  persist_two(folder);
  queue(folder, 3, QueueOperation::add, "a", Embedding{9, 9});
  std::filesystem::remove(folder.index() / "index_metadata.pickle");
  EXPECT_THAT(vectors_in(folder), ElementsAre("a=1", "b=2"));
}

TEST(RecoveryTest, WhetherAnAddCountedIsToldByTheRecordsAroundIt) {
  const MadeFolder folder;
  persist_two(folder);
  for (const char* id : {"c", "d"}) folder.add_row(id, 6);
  queue(folder, 3, QueueOperation::add, "c", Embedding{3, 0});
  queue(folder, 4, QueueOperation::update, "c");
  folder.set_seq("c", 4);
  queue(folder, 6, QueueOperation::add, "d", Embedding{4, 0});
  EXPECT_THAT(vectors_in(folder), ElementsAre("a=1", "b=2", "c=3", "d=4")) << "the index does not know it";
  rename_index_away(folder);
  EXPECT_THAT(vectors_in(folder), ElementsAre("b=2", "c=3", "d=4")) << "made behind b, which the queue made";
}

TEST(RecoveryTest, WhereNothingTellsWhetherAnAddCountedThereIsNoVector) {
  const MadeFolder folder;
  add_in_a_purged_queue(folder);
  EXPECT_THAT(vectors_in(folder), IsEmpty());
  folder.execute("DELETE FROM max_seq_id WHERE segment_id = '" + folder.row().vector_segment + "'");
  EXPECT_THAT(vectors_in(folder), ElementsAre("a=9")) << "a queue that was never purged begins with every id";
}

TEST(RecoveryTest, WhetherAnAddCountedIsToldByTheTimesOfRows) {
  const MadeFolder folder;
  add_in_a_purged_queue(folder);
  folder.execute("UPDATE embeddings_queue SET created_at = '2026-01-01 00:00:0' || seq_id");
  folder.execute("UPDATE embeddings SET created_at = '2026-01-01 00:00:03'");
  EXPECT_THAT(vectors_in(folder), ElementsAre("a=9"));
  folder.execute("UPDATE embeddings SET created_at = '2026-01-01 00:00:02'");
  EXPECT_THAT(vectors_in(folder), IsEmpty());
  folder.execute("UPDATE embeddings SET created_at = '2026-01-01 00:00:01'");
  EXPECT_THAT(vectors_in(folder), IsEmpty());
}

TEST(RecoveryTest, ACopyHasTheVectorOfARecordWhoseMetadataChangedSince) {
  const MadeFolder folder;
  persist_two(folder);
  rename_index_away(folder);
  queue(folder, 3, QueueOperation::update, "a");
  folder.set_seq("a", 3);
  EXPECT_THAT(vectors_in(folder, Copies::used), ElementsAre("a=1", "b=2"));
  queue(folder, 4, QueueOperation::erase, "a");
  queue(folder, 5, QueueOperation::update, "a");
  folder.set_seq("a", 5);
  EXPECT_THAT(vectors_in(folder, Copies::used), ElementsAre("b=2")) << "dropped with its text";
}

TEST(RecoveryTest, AnUpdateOfARecordIsItsVectorAlsoWhereTheIndexLacksIt) {
  const MadeFolder folder;
  persist_two(folder);
  queue(folder, 3, QueueOperation::update, "a", Embedding{5, 0});
  folder.set_seq("a", 3);
  Bytes none;
  folder.write(folder.index() / "data_level0.bin", none);
  EXPECT_THAT(vectors_in(folder), ElementsAre("a=5", "b=2"));
  queue(folder, 4, QueueOperation::update, "a");
  folder.set_seq("a", 4);
  EXPECT_THAT(vectors_in(folder), ElementsAre("a=5", "b=2"));
  std::filesystem::remove(folder.index() / "index_metadata.pickle");
  EXPECT_THAT(vectors_in(folder), ElementsAre("a=5", "b=2"));
}

TEST(RecoveryTest, AVectorThatWasDroppedWithItsTextStaysDropped) {
  const MadeFolder folder;
  persist_two(folder);
  queue(folder, 3, QueueOperation::erase, "a");
  queue(folder, 4, QueueOperation::update, "a");
  folder.set_seq("a", 4);
  EXPECT_THAT(vectors_in(folder), ElementsAre("b=2"));
  queue(folder, 5, QueueOperation::upsert, "a", Embedding{6, 0});
  folder.set_seq("a", 5);
  EXPECT_THAT(vectors_in(folder), ElementsAre("a=6", "b=2"));
}

TEST(RecoveryTest, AVectorThatCameBehindTheTableIsNotOfItsText) {
  const MadeFolder folder;
  persist_two(folder);
  queue(folder, 3, QueueOperation::upsert, "a", Embedding{8, 0});
  EXPECT_THAT(vectors_in(folder), ElementsAre("a=1", "b=2"));
}

}  // namespace
}  // namespace loci::chroma
