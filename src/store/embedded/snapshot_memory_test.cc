#include "store/embedded/snapshot_memory.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "store/embedded/catalog.h"
#include "store/embedded/postings.h"
#include "store/embedded/test_palace.h"

namespace loci::embedded {
namespace {

constexpr std::size_t kTexts = 400;  // more than a list must have to be worth keeping

class SnapshotMemoryTest : public testing::Test {
 protected:
  SnapshotMemoryTest() {
    std::vector<Record> records;
    for (std::size_t i = 0; i < kTexts; ++i)
      records.push_back(record(std::to_string(i), "common " + std::to_string(i)));
    EXPECT_TRUE(drawers_->add(records).ok());
  }

  // A snapshot of the connection; what is remembered then, once something was read in it.
  Transaction snapshot(Connection& connection) const {
    Result<Transaction> begun = Transaction::begin(connection, Transaction::Kind::read);
    EXPECT_TRUE(begun.ok());
    EXPECT_TRUE(load_collection(connection, "drawers").ok());
    return *std::move(begun);
  }
  std::int64_t collection_ = 1;

  TestPalace palace_;
  std::shared_ptr<Collection> drawers_ = palace_.drawers();
  std::unique_ptr<Connection> connection_ = palace_.connect();
};

TEST_F(SnapshotMemoryTest, TheNextReaderOfTheSameStateHasWhatWasRemembered) {
  {
    const Transaction first = snapshot(*connection_);
    SnapshotMemory::of(*connection_, collection_)->records = 5;
  }
  const Transaction second = snapshot(*connection_);
  EXPECT_EQ(SnapshotMemory::of(*connection_, collection_)->records, 5U);
  EXPECT_FALSE(SnapshotMemory::of(*connection_, collection_ + 1)->records);
}

TEST_F(SnapshotMemoryTest, AChangeByAnotherConnectionForgetsEverything) {
  {
    const Transaction first = snapshot(*connection_);
    SnapshotMemory::of(*connection_, collection_)->records = 5;
  }
  ASSERT_TRUE(drawers_->add(batch(record("new", "text"))).ok());
  const Transaction second = snapshot(*connection_);
  EXPECT_FALSE(SnapshotMemory::of(*connection_, collection_)->records);
}

TEST_F(SnapshotMemoryTest, AChangeByTheConnectionItselfForgetsEverything) {
  {
    const Transaction first = snapshot(*connection_);
    SnapshotMemory::of(*connection_, collection_)->records = 5;
  }
  ASSERT_TRUE(connection_->execute("UPDATE records SET use_count = 1 WHERE row = 1").ok());
  const Transaction second = snapshot(*connection_);
  EXPECT_FALSE(SnapshotMemory::of(*connection_, collection_)->records);
}

TEST_F(SnapshotMemoryTest, ASnapshotThatGoesOnKeepsItsMemoryWhileOthersWrite) {
  const Transaction first = snapshot(*connection_);
  ASSERT_EQ(*count_records(*connection_, collection_), kTexts);
  ASSERT_TRUE(drawers_->add(batch(record("new", "text"))).ok());
  EXPECT_EQ(SnapshotMemory::of(*connection_, collection_)->records, kTexts);
  EXPECT_EQ(*count_records(*connection_, collection_), kTexts);
}

TEST_F(SnapshotMemoryTest, WithoutASnapshotThereIsNone) {
  EXPECT_EQ(SnapshotMemory::of(*connection_, collection_), nullptr);
  {
    Result<Transaction> unread = Transaction::begin(*connection_, Transaction::Kind::read);
    ASSERT_TRUE(unread.ok());
    EXPECT_EQ(SnapshotMemory::of(*connection_, collection_), nullptr);
  }
  Result<Transaction> writer = Transaction::begin(*connection_, Transaction::Kind::write);
  ASSERT_TRUE(writer.ok());
  EXPECT_EQ(SnapshotMemory::of(*connection_, collection_), nullptr);
}

TEST_F(SnapshotMemoryTest, AWriterCountsWhatItHasWritten) {
  {
    const Transaction reader = snapshot(*connection_);
    ASSERT_EQ(*count_records(*connection_, collection_), kTexts);
  }
  Result<Transaction> writer = Transaction::begin(*connection_, Transaction::Kind::write);
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE(connection_->execute("DELETE FROM records WHERE row = 1").ok());
  EXPECT_EQ(*count_records(*connection_, collection_), kTexts - 1);
}

TEST_F(SnapshotMemoryTest, OnlyListsOfCommonWordsAreKept) {
  const Transaction reader = snapshot(*connection_);
  const std::vector<std::string> terms = {"7", "common", "absent"};
  const Result<Postings> first = read_postings(*connection_, collection_, terms);
  ASSERT_TRUE(first.ok());
  const CollectionMemory& memory = *SnapshotMemory::of(*connection_, collection_);
  ASSERT_EQ(memory.common_words.size(), 1U);
  EXPECT_EQ(memory.common_words.begin()->first, "common");
  EXPECT_EQ(memory.kept_postings, kTexts);

  const Result<Postings> second = read_postings(*connection_, collection_, terms);
  ASSERT_TRUE(second.ok());
  ASSERT_EQ(second->phrases.size(), 3U);
  EXPECT_EQ(second->phrases[1], first->phrases[1]);  // the very same list
  EXPECT_EQ(second->totals.rows, static_cast<std::int64_t>(kTexts));
  EXPECT_EQ(second->totals.average_size, first->totals.average_size);
  for (const Result<Postings>* postings : {&first, &second}) {
    ASSERT_EQ((*postings)->phrases.front()->size(), 1U);
    EXPECT_EQ((*postings)->phrases.front()->front().row, 8);
    EXPECT_TRUE((*postings)->phrases.back()->empty());
  }
}

TEST_F(SnapshotMemoryTest, AWordThatNobodyHasBesideAKeptOneChangesNothing) {
  const Transaction reader = snapshot(*connection_);
  const std::vector<std::string> common = {"common"};
  const std::vector<std::string> both = {"absent", "common"};
  ASSERT_TRUE(read_postings(*connection_, collection_, common).ok());
  const Result<Postings> postings = read_postings(*connection_, collection_, both);
  ASSERT_TRUE(postings.ok());
  ASSERT_EQ(postings->phrases.size(), 2U);
  EXPECT_TRUE(postings->phrases.front()->empty());
  EXPECT_EQ(postings->phrases.back()->size(), kTexts);
  EXPECT_EQ(postings->totals.rows, static_cast<std::int64_t>(kTexts));
}

// What a search must never miss: the write of another process that was acknowledged before it began.
TEST_F(SnapshotMemoryTest, ASearchSeesEveryWriteOfAnotherProcessThatWasAcknowledgedBefore) {
  const std::unique_ptr<Backend> other_backend = make_embedded_backend();
  const auto other = other_backend->collection(palace_.ref(), "drawers", {});
  ASSERT_TRUE(other.ok());
  for (std::size_t i = 0; i < 20; ++i) {
    const std::string id = "new" + std::to_string(i);
    ASSERT_EQ(*drawers_->count(), kTexts + i);
    ASSERT_EQ(drawers_->match({.text = "common", .n_results = 1000})->size(), kTexts + i);
    ASSERT_TRUE((*other)->add(batch(record(id, "common"))).ok());
    EXPECT_EQ(*drawers_->count(), kTexts + i + 1);
    EXPECT_EQ(drawers_->info()->pending, kTexts + i + 1);
    const auto hits = drawers_->match({.text = "common", .n_results = 1000});
    ASSERT_TRUE(hits.ok());
    ASSERT_EQ(hits->size(), kTexts + i + 1);
    // The shortest texts are best, so that the sizes are those of now, too.
    for (std::size_t hit = 0; hit <= i; ++hit) EXPECT_EQ((*hits)[hit].record.id.substr(0, 3), "new");
  }
  ASSERT_TRUE((*other)->erase({.ids = {{"new0"}}}).ok());
  EXPECT_EQ(drawers_->match({.text = "common", .n_results = 1000})->size(), kTexts + 19);
}

}  // namespace
}  // namespace loci::embedded
