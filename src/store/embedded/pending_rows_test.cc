#include "store/embedded/pending_rows.h"

#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/embedded/test_palace.h"

namespace loci::embedded {
namespace {

// Counts its work, and can do something while it works.
class CountingEmbedder : public Embedder {
 public:
  std::string model_name() const override { return "counting"; }
  std::size_t dimension() const override { return 2; }
  Result<std::vector<Embedding>> embed(std::span<const std::string> texts) const override {
    if (const std::function<void()> hook = meanwhile) hook();  // a copy: it may clear itself
    ++calls;
    for (const std::string& text : texts) {
      if (text == refused || refused == "all") return Error{ErrorKind::invalid_argument, "not this one"};
    }
    if (fails) return Error{ErrorKind::unavailable, "the model is asleep"};
    std::vector<Embedding> vectors;
    for (const std::string& text : texts) vectors.push_back({static_cast<float>(text.size()), 1});
    texts_seen += texts.size();
    return vectors;
  }

  std::function<void()> meanwhile;
  bool fails = false;
  std::string refused;  // a text; or all of them
  mutable std::atomic<std::size_t> calls = 0;
  mutable std::atomic<std::size_t> texts_seen = 0;
};

class PendingRowsTest : public testing::Test {
 protected:
  std::shared_ptr<Collection> open() {
    return palace_.drawers({.embedder = &embedder_, .embed_text = EmbedText::later});
  }
  void add(Collection& drawers, int count) {
    std::vector<Record> records;
    for (int i = 0; i < count; ++i)
      records.push_back(record("id" + std::to_string(i), "text number " + std::to_string(i)));
    ASSERT_TRUE(drawers.add(records).ok());
  }

  TestPalace palace_;
  CountingEmbedder embedder_;
};

TEST_F(PendingRowsTest, WhatIsMissingDoesNotWaitUntilItIsQueued) {
  const auto migrating = palace_.drawers({.embed_text = EmbedText::leave_missing});
  add(*migrating, 3);
  EXPECT_EQ(migrating->info()->missing, 3U);
  EXPECT_EQ(migrating->info()->pending, 0U);
  const auto drawers = open();
  EXPECT_EQ(drawers->embed_pending(10)->embedded, 0U);
  ASSERT_TRUE(drawers->update(std::vector<RecordUpdate>{{.id = "id0", .metadata = Metadata{{"k", true}}}}).ok());
  EXPECT_EQ(drawers->info()->missing, 3U) << "its text is the same";
  ASSERT_TRUE(drawers->update(std::vector<RecordUpdate>{{.id = "id1", .document = "a new text"}}).ok());
  EXPECT_EQ(drawers->info()->missing, 2U);
  EXPECT_EQ(drawers->embed_pending(10)->embedded, 1U) << "a new text is like any other";
  EXPECT_EQ(*drawers->queue_missing(), 2U);
  EXPECT_EQ(drawers->embed_pending(10)->embedded, 2U);
  EXPECT_EQ(drawers->info()->missing, 0U);
  EXPECT_EQ(drawers->info()->pending, 0U);
}

TEST_F(PendingRowsTest, AVectorEndsTheStateMissing) {
  const auto migrating = palace_.drawers({.embed_text = EmbedText::leave_missing});
  add(*migrating, 1);
  ASSERT_TRUE(migrating->update(std::vector<RecordUpdate>{{.id = "id0", .embedding = Embedding{1, 2}}}).ok());
  EXPECT_EQ(migrating->info()->missing, 0U);
  EXPECT_EQ(migrating->query({.embeddings = {{1, 2}}})->hits[0].size(), 1U);
}

TEST_F(PendingRowsTest, AreEmbeddedInBatchesUntilNoneIsLeft) {
  const auto drawers = open();
  add(*drawers, 5);
  EXPECT_EQ(drawers->info()->pending, 5U);
  EXPECT_EQ(drawers->embed_pending(3)->embedded, 3U);
  EXPECT_EQ(drawers->info()->pending, 2U);
  EXPECT_EQ(drawers->embed_pending(3)->embedded, 2U);
  EXPECT_EQ(drawers->embed_pending(3)->embedded, 0U);
  EXPECT_EQ(embedder_.texts_seen, 5U);
  EXPECT_EQ(drawers->info()->model, "counting");
  const auto near = drawers->query({.texts = {"text number 3"}, .n_results = 5});
  ASSERT_TRUE(near.ok());
  EXPECT_EQ(near->hits[0].size(), 5U);
}

TEST_F(PendingRowsTest, TheModelIsRecordedWithItsFirstVector) {
  const auto drawers = open();
  add(*drawers, 1);
  EXPECT_EQ(drawers->info()->model, "");
  EXPECT_EQ(drawers->info()->dimension, std::nullopt);
  ASSERT_EQ(drawers->embed_pending(10)->embedded, 1U);
  EXPECT_EQ(drawers->info()->model, "counting");
  EXPECT_EQ(drawers->info()->dimension, 2U);
}

TEST_F(PendingRowsTest, ADamagedTextIsSetAsideAndTheOthersGoOn) {
  const auto drawers = open();
  add(*drawers, 5);
  palace_.execute("UPDATE documents SET text = 'text nunber 2' WHERE text = 'text number 2'");
  const auto step = drawers->embed_pending(3);
  ASSERT_TRUE(step.ok()) << step.error().message;
  EXPECT_EQ(step->embedded, 2U);
  ASSERT_EQ(step->refused.size(), 1U);
  EXPECT_EQ(step->refused[0].id, "id2");
  EXPECT_NE(step->refused[0].reason.find("damaged"), std::string::npos);
  EXPECT_EQ(drawers->embed_pending(10)->embedded, 2U);
  EXPECT_EQ(drawers->info()->pending, 0U);
  EXPECT_EQ(drawers->info()->missing, 1U);
  EXPECT_EQ(embedder_.texts_seen, 4U);
}

TEST_F(PendingRowsTest, EqualTextsAreEmbeddedOnce) {
  const auto drawers = open();
  ASSERT_TRUE(drawers->add(batch(record("a", "the same"), record("b", "the same"))).ok());
  EXPECT_EQ(drawers->embed_pending(10)->embedded, 2U);
  EXPECT_EQ(embedder_.texts_seen, 1U);
}

TEST_F(PendingRowsTest, AVectorIsAChangeForWhoeverFollows) {
  const auto drawers = open();
  add(*drawers, 1);
  const std::int64_t before = drawers->changes_since(0, 10)->back().seq;
  ASSERT_EQ(drawers->embed_pending(10)->embedded, 1U);
  EXPECT_EQ(drawers->changes_since(before, 10)->size(), 1U);
}

TEST_F(PendingRowsTest, ATextThatChangedMeanwhileKeepsWaiting) {
  const auto drawers = open();
  add(*drawers, 2);
  embedder_.meanwhile = [&] {
    ASSERT_TRUE(drawers->update(std::vector<RecordUpdate>{{.id = "id0", .document = "another text"}}).ok());
    embedder_.meanwhile = {};
  };
  EXPECT_EQ(drawers->embed_pending(10)->embedded, 1U);
  EXPECT_EQ(drawers->info()->pending, 1U);
  EXPECT_EQ(drawers->embed_pending(10)->embedded, 1U);
}

TEST_F(PendingRowsTest, ARecordThatWasRemovedMeanwhileStaysRemoved) {
  const auto drawers = open();
  add(*drawers, 2);
  embedder_.meanwhile = [&] { ASSERT_TRUE(drawers->erase({.ids = {{"id0"}}}).ok()); };
  EXPECT_EQ(drawers->embed_pending(10)->embedded, 1U);
  EXPECT_EQ(palace_.query("SELECT count(*) FROM vectors"), 1);
}

TEST_F(PendingRowsTest, WhatOneWorkerHasLeasedAnotherLeavesAlone) {
  const auto drawers = open();
  add(*drawers, 4);
  const auto other = open();
  std::size_t by_other = 0;
  embedder_.meanwhile = [&] {
    embedder_.meanwhile = {};
    by_other = other->embed_pending(10)->embedded;
  };
  EXPECT_EQ(drawers->embed_pending(3)->embedded, 3U);
  EXPECT_EQ(by_other, 1U);
  EXPECT_EQ(embedder_.texts_seen, 4U) << "no row was embedded twice";
}

TEST_F(PendingRowsTest, ThreadsShareTheWork) {
  add(*open(), 60);
  std::vector<std::thread> workers;
  std::atomic<std::size_t> embedded = 0;
  for (int i = 0; i < 4; ++i) {
    workers.emplace_back([&] {
      const auto drawers = open();
      while (const std::size_t count = drawers->embed_pending(7)->embedded) embedded += count;
    });
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(embedded, 60U);
  EXPECT_EQ(embedder_.texts_seen, 60U);
}

TEST_F(PendingRowsTest, TheLeasesOfAKilledWorkerAreGivenBack) {
  add(*open(), 3);
  palace_.reopen();
  const pid_t child = ::fork();
  if (child == 0) {
    embedder_.meanwhile = [] { ::kill(::getpid(), SIGKILL); };
    static_cast<void>(open()->embed_pending(10));
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(open()->embed_pending(10)->embedded, 3U);
}

TEST_F(PendingRowsTest, AnErrorOfTheModelLeavesEverythingWaiting) {
  const auto drawers = open();
  add(*drawers, 2);
  embedder_.fails = true;
  EXPECT_EQ(drawers->embed_pending(10).error().kind, ErrorKind::unavailable);
  embedder_.fails = false;
  EXPECT_EQ(drawers->embed_pending(10)->embedded, 2U);
}

TEST_F(PendingRowsTest, ATextThatTheEmbedderRefusesIsSetAsideAndTheOthersGetTheirVectors) {
  const auto drawers = open();
  add(*drawers, 40);
  embedder_.refused = "text number 13";
  const auto step = drawers->embed_pending(64);
  ASSERT_TRUE(step.ok()) << step.error().message;
  EXPECT_EQ(step->embedded, 39U);
  EXPECT_EQ(step->refused, (std::vector<RefusedText>{{"id13", "not this one"}}));
  EXPECT_LT(embedder_.calls, 16U) << "found by halving";
  EXPECT_EQ(drawers->info()->pending, 0U);
  EXPECT_EQ(drawers->info()->missing, 1U);
  EXPECT_TRUE(drawers->embed_pending(64)->is_empty()) << "not tried for ever";
  EXPECT_EQ(*drawers->queue_missing(), 1U);
  embedder_.refused = "";
  EXPECT_EQ(drawers->embed_pending(64)->embedded, 1U);
}

TEST_F(PendingRowsTest, AnEmbedderThatRefusesEverythingIsAnErrorOfTheWholeRun) {
  const auto drawers = open();
  add(*drawers, 4);
  embedder_.refused = "all";
  EXPECT_EQ(drawers->embed_pending(64).error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(drawers->info()->pending, 4U);
}

TEST_F(PendingRowsTest, EqualTextsAreEmbeddedOnceAlsoInDifferentBatches) {
  const auto drawers = open();
  ASSERT_TRUE(drawers->add(batch(record("a", "the same"), record("b", "the same"))).ok());
  EXPECT_EQ(drawers->embed_pending(1)->embedded, 1U);
  EXPECT_EQ(drawers->embed_pending(1)->embedded, 1U);
  EXPECT_EQ(embedder_.texts_seen, 1U);
}

TEST_F(PendingRowsTest, NeedAnEmbedderOfTheStoredModelAndAWritablePalace) {
  const auto drawers = open();
  add(*drawers, 1);
  EXPECT_EQ(palace_.drawers()->embed_pending(1).error().kind, ErrorKind::invalid_argument);
  ASSERT_TRUE(palace_.backend().set_embedder(palace_.ref(), "drawers", "another", {}, ModelSwap::force).ok());
  EXPECT_EQ(drawers->embed_pending(1).error().kind, ErrorKind::embedder_mismatch);
  const auto view =
      palace_.backend().collection(palace_.ref(), "drawers", {.access = Access::read_only, .embedder = nullptr});
  ASSERT_TRUE(view.ok());
  EXPECT_FALSE((*view)->embed_pending(1).ok());
}

}  // namespace
}  // namespace loci::embedded
