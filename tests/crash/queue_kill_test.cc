// Processes that embed what waits, or make all vectors anew, are killed at random moments. Afterwards no record is
// lost, none has a wrong vector, and the next process goes on where they were.
#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "base/temporary_folder.h"
#include "store/embedded/embedded_backend.h"
#include "tests/crash/child_process.h"
#include "tests/crash/effort.h"
#include "tests/crash/embedding_work.h"
#include "tests/crash/palace_check.h"

namespace loci::crash {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kKills = 30;
constexpr std::int64_t kTries = 2000;
constexpr int kRecords = 200;
constexpr int kProcesses = 3;
constexpr int kDelayUs = 500;

class QueueKillTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> in_memory = TemporaryFolder::create_in("/dev/shm");
    if (in_memory.ok()) folder_ = std::move(*in_memory);
    seed_ = test_seed();
    random_.seed(seed_);
  }

  PalaceRef ref(const std::string& name) const { return PalaceRef::at(folder_.path() / name); }
  void copy_whole() const {
    fs::remove_all(folder_.path() / "copy");
    fs::copy(folder_.path() / "whole", folder_.path() / "copy");
  }

  // Processes do the work on a copy and are killed after random times; `check` sees what they leave. The time that the
  // work takes is learnt, so that most kills hit it under way; what ended before its kill does not count.
  void kill_often(const std::function<int(int process)>& work, const std::function<void()>& check,
                  std::string_view what) {
    SCOPED_TRACE(seed_trace(seed_));
    Effort kills(kKills);
    double window_us = 10'000;
    for (std::int64_t tries = 0; !kills.is_enough(); ++tries) {
      ASSERT_LT(tries, kTries + kills.done() * 20) << "the work is over too soon to be killed";
      copy_whole();
      std::vector<std::unique_ptr<ChildProcess>> children;
      for (int i = 0; i < kProcesses; ++i)
        children.push_back(std::make_unique<ChildProcess>([&work, i] { return work(i); }));
      for (const auto& child : children) {
        std::this_thread::sleep_for(std::chrono::microseconds(random_() % static_cast<unsigned>(window_us)));
        ASSERT_TRUE(child->kill()) << "a process failed by itself";
        kills.add(child->was_killed() ? 1 : 0);
        window_us = std::max(500.0, window_us * (child->was_killed() ? 1.05 : 0.8));
      }
      check();
      if (HasFailure()) return;
    }
    kills.report("kills", what);
  }

  void expect_whole(Waiting waiting) const {
    EXPECT_EQ(wrong_vectors(ref("copy"), waiting), std::vector<std::string>());
    EXPECT_EQ(inconsistencies(ref("copy")), std::vector<std::string>());
    const auto backend = make_embedded_backend();
    const auto collection = backend->collection(ref("copy"), "drawers", {});
    ASSERT_TRUE(collection.ok());
    EXPECT_EQ(*(*collection)->count(), static_cast<std::size_t>(kRecords));
  }

  TemporaryFolder folder_;
  unsigned seed_ = 0;
  std::mt19937 random_;
};

TEST_F(QueueKillTest, KilledWorkersLoseNothingAndTheNextOneGoesOn) {
  ASSERT_TRUE(make_waiting_palace(ref("whole"), kRecords).ok());
  const SlowEmbedder slow(kOldDimension, kDelayUs);
  kill_often([&](int) { return embed_all(ref("copy"), slow).ok() ? 0 : 1; },
             [&] {
               expect_whole(Waiting::allowed);
               ASSERT_TRUE(embed_all(ref("copy"), SlowEmbedder(kOldDimension)).ok());
               expect_whole(Waiting::forbidden);
             },
             "while drawers were embedded");
}

TEST_F(QueueKillTest, AKilledReembeddingLeavesOneModelsVectorsAndGoesOn) {
  ASSERT_TRUE(make_old_palace(ref("whole"), kRecords).ok());
  const SlowEmbedder slow(kNewDimension, kDelayUs);
  kill_often([&](int) { return reembed_all(ref("copy"), slow).ok() ? 0 : 1; },
             [&] {
               expect_whole(Waiting::forbidden);
               const Result<bool> done = reembed_all(ref("copy"), SlowEmbedder(kNewDimension));
               ASSERT_TRUE(done.ok()) << done.error().message;
               EXPECT_TRUE(*done);
               expect_whole(Waiting::forbidden);
             },
             "while a palace was re-embedded");
}

TEST_F(QueueKillTest, TextsThatChangeDuringAReembeddingNeverGetTheVectorsOfTheOldText) {
  ASSERT_TRUE(make_old_palace(ref("whole"), kRecords).ok());
  const SlowEmbedder slow(kNewDimension, kDelayUs);
  const auto work = [&](int process) -> int {
    if (process > 0) return reembed_all(ref("copy"), slow).ok() ? 0 : 1;
    const auto backend = make_embedded_backend();
    const auto collection = backend->collection(ref("copy"), "drawers", {});
    if (!collection.ok()) return 1;
    for (int i = 0; i < kRecords; ++i) {
      const std::vector<RecordUpdate> change = {{.id = "id" + std::to_string(i * 7 % kRecords), .document = "changed"}};
      if (!(*collection)->update(change).ok()) return 1;
    }
    return 0;
  };
  kill_often(
      work,
      [&] {
        expect_whole(Waiting::allowed);
        ASSERT_TRUE(reembed_all(ref("copy"), SlowEmbedder(kNewDimension)).ok());
        ASSERT_TRUE(embed_all(ref("copy"), SlowEmbedder(kNewDimension)).ok());
        expect_whole(Waiting::forbidden);
      },
      "while texts changed during a re-embedding");
}

// Each process says how many texts it has embedded; together they must be as many as there are.
TEST_F(QueueKillTest, ProcessesThatWorkAtOnceEmbedNothingTwice) {
  ASSERT_TRUE(make_waiting_palace(ref("whole"), kRecords).ok());
  const auto total = [&](const std::function<Status(const SlowEmbedder&)>& work, std::size_t dimension) {
    std::vector<std::unique_ptr<ChildProcess>> children;
    for (int i = 0; i < kProcesses; ++i) {
      children.push_back(std::make_unique<ChildProcess>([&, i] {
        const SlowEmbedder embedder(dimension, kDelayUs);
        const Status done = work(embedder);
        std::ofstream(folder_.path() / ("seen" + std::to_string(i))) << embedder.texts_seen();
        return done.ok() ? 0 : 1;
      }));
    }
    std::size_t sum = 0;
    for (int i = 0; i < kProcesses; ++i) {
      EXPECT_TRUE(children[static_cast<std::size_t>(i)]->wait());
      std::size_t seen = 0;
      std::ifstream(folder_.path() / ("seen" + std::to_string(i))) >> seen;
      sum += seen;
    }
    return sum;
  };
  copy_whole();
  EXPECT_EQ(total([&](const SlowEmbedder& embedder) { return embed_all(ref("copy"), embedder); }, kOldDimension),
            static_cast<std::size_t>(kRecords));
  expect_whole(Waiting::forbidden);
  const auto reembed = [&](const SlowEmbedder& embedder) -> Status {
    TRY(reembed_all(ref("copy"), embedder));
    return {};
  };
  EXPECT_EQ(total(reembed, kNewDimension), static_cast<std::size_t>(kRecords));
  EXPECT_TRUE(*reembed_all(ref("copy"), SlowEmbedder(kNewDimension)));
  expect_whole(Waiting::forbidden);
}

}  // namespace
}  // namespace loci::crash
