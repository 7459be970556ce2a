#include "api/embedding_worker.h"

#include <fstream>

#include <gtest/gtest.h>

#include "api/fake_backend.h"
#include "base/temporary_folder.h"

namespace loci {
namespace {

namespace fs = std::filesystem;

// A queue of so many drawers, and something to do between the batches.
class QueueCollection : public FakeCollection {
 public:
  Result<EmbeddingStep> embed_pending(std::size_t limit) override {
    ++calls;
    if (on_call) on_call(calls);
    if (fails) return Error{ErrorKind::unavailable, "the server is away"};
    const std::size_t count = std::min(limit, waiting);
    waiting -= count;
    return EmbeddingStep{.embedded = count};
  }

  std::size_t waiting = 0;
  int calls = 0;
  bool fails = false;
  std::function<void(int)> on_call;
};

class EmbeddingWorkerTest : public testing::Test {
 protected:
  Result<std::size_t> work() {
    return work_in_background(folder_.path(),
                              [&] { return Result<std::vector<std::shared_ptr<Collection>>>(queues_); });
  }

  TemporaryFolder folder_;
  std::vector<std::shared_ptr<Collection>> queues_ = {std::make_shared<QueueCollection>()};
  QueueCollection& drawers_ = static_cast<QueueCollection&>(*queues_.front());
};

TEST_F(EmbeddingWorkerTest, EmbedsUntilNothingIsLeftAndLeavesNoProgressBehind) {
  drawers_.waiting = 200;
  drawers_.on_call = [&](int call) {
    if (call == 2) {
      EXPECT_TRUE(worker_state(folder_.path()).is_at_work);
    }
  };
  EXPECT_EQ(*work(), 200U);
  EXPECT_FALSE(worker_state(folder_.path()).is_at_work);
  EXPECT_FALSE(fs::exists(folder_.path() / "worker.json"));
}

TEST_F(EmbeddingWorkerTest, ThereIsOneAtATime) {
  drawers_.waiting = 10;
  std::optional<WorkerSeat> seat = *WorkerSeat::take(folder_.path());
  ASSERT_TRUE(seat.has_value());
  EXPECT_EQ(*work(), 0U);
  EXPECT_EQ(drawers_.calls, 0);
  seat.reset();
  EXPECT_EQ(*work(), 10U);
}

TEST_F(EmbeddingWorkerTest, WhatComesBetweenTheLastLookAndTheEndIsNotForgotten) {
  drawers_.waiting = 1;
  drawers_.on_call = [&](int call) {
    // The call after the last one that found nothing: the seat is free again, and something was stored before it was.
    if (call != 3) return;
    EXPECT_FALSE(worker_state(folder_.path()).is_at_work);
    drawers_.waiting = 5;
  };
  EXPECT_EQ(*work(), 6U);
}

TEST_F(EmbeddingWorkerTest, ACollectionThatIsFilledMeanwhileIsNotForgotten) {
  drawers_.waiting = 200;
  const auto other = std::make_shared<QueueCollection>();
  drawers_.on_call = [&](int call) {
    if (call != 2) return;
    other->waiting = 70;
    queues_.push_back(other);
  };
  EXPECT_EQ(*work(), 270U);
  EXPECT_EQ(other->waiting, 0U);
}

TEST_F(EmbeddingWorkerTest, AFailureIsToldUntilTheNextWorker) {
  drawers_.fails = true;
  EXPECT_FALSE(work().ok());
  EXPECT_EQ(worker_state(folder_.path()).error, "the server is away");
  drawers_.fails = false;
  EXPECT_TRUE(work().ok());
  EXPECT_EQ(worker_state(folder_.path()).error, "");
}

TEST_F(EmbeddingWorkerTest, ProgressOfAWorkerThatIsGoneIsNotShown) {
  std::ofstream(folder_.path() / "worker.json") << R"({"embedded": 7, "per_second": 2.5})";
  EXPECT_EQ(worker_state(folder_.path()).per_second, 0);
  const std::optional<WorkerSeat> seat = *WorkerSeat::take(folder_.path());
  EXPECT_EQ(worker_state(folder_.path()).embedded, 7U);
  EXPECT_EQ(worker_state(folder_.path()).per_second, 2.5);
}

TEST_F(EmbeddingWorkerTest, AnUnreadableProgressIsNoProgress) {
  for (const char* content : {"", "[]", "{", R"({"embedded": "x", "per_second": [], "error": 1})"}) {
    std::ofstream(folder_.path() / "worker.json") << content;
    EXPECT_EQ(worker_state(folder_.path()).error, "") << content;
    const std::optional<WorkerSeat> seat = *WorkerSeat::take(folder_.path());
    EXPECT_EQ(worker_state(folder_.path()).embedded, 0U) << content;
  }
}

}  // namespace
}  // namespace loci
