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
  ChosenPalace palace() const {
    ChosenPalace chosen;
    chosen.settings.palace = folder_.path();
    return chosen;
  }

  TemporaryFolder folder_;
  QueueCollection drawers_;
};

TEST_F(EmbeddingWorkerTest, EmbedsUntilNothingIsLeftAndLeavesNoProgressBehind) {
  drawers_.waiting = 200;
  drawers_.on_call = [&](int call) {
    if (call == 2) {
      EXPECT_TRUE(worker_state(folder_.path()).is_at_work);
    }
  };
  EXPECT_EQ(*work_in_background(palace(), drawers_), 200U);
  EXPECT_FALSE(worker_state(folder_.path()).is_at_work);
  EXPECT_FALSE(fs::exists(folder_.path() / "worker.json"));
}

TEST_F(EmbeddingWorkerTest, ThereIsOneAtATime) {
  drawers_.waiting = 10;
  std::optional<WorkerSeat> seat = *WorkerSeat::take(folder_.path());
  ASSERT_TRUE(seat.has_value());
  EXPECT_EQ(*work_in_background(palace(), drawers_), 0U);
  EXPECT_EQ(drawers_.calls, 0);
  seat.reset();
  EXPECT_EQ(*work_in_background(palace(), drawers_), 10U);
}

TEST_F(EmbeddingWorkerTest, WhatComesBetweenTheLastLookAndTheEndIsNotForgotten) {
  drawers_.waiting = 1;
  drawers_.on_call = [&](int call) {
    // The call after the last one that found nothing: the seat is free again, and something was stored before it was.
    if (call != 3) return;
    EXPECT_FALSE(worker_state(folder_.path()).is_at_work);
    drawers_.waiting = 5;
  };
  EXPECT_EQ(*work_in_background(palace(), drawers_), 6U);
}

TEST_F(EmbeddingWorkerTest, AFailureIsToldUntilTheNextWorker) {
  drawers_.fails = true;
  EXPECT_FALSE(work_in_background(palace(), drawers_).ok());
  EXPECT_EQ(worker_state(folder_.path()).error, "the server is away");
  drawers_.fails = false;
  EXPECT_TRUE(work_in_background(palace(), drawers_).ok());
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
