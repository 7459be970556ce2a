// Processes that embed what waits, or make all vectors anew, are killed at random moments. Afterwards no record is
// lost, none has a wrong vector, and the next process goes on where they were.
#include <fstream>
#include <functional>
#include <memory>

#include <gtest/gtest.h>

#include "store/embedded/embedded_backend.h"
#include "tests/crash/child_process.h"
#include "tests/crash/embedding_work.h"
#include "tests/crash/killed_work.h"
#include "tests/crash/palace_check.h"

namespace loci::crash {
namespace {

constexpr std::int64_t kKills = 30;
constexpr int kRecords = 200;
constexpr int kProcesses = 3;
constexpr int kDelayUs = 500;

class QueueKillTest : public KilledWorkTest {
 protected:
  // Processes do the work on a copy.
  void kill_often(const std::function<int(int process)>& work, const std::function<void()>& check,
                  std::string_view what) {
    KilledWorkTest::kill_often({.processes = kProcesses,
                                .kills = kKills,
                                .prepare = [this] { copy_whole_to("copy"); },
                                .work = work,
                                .check = check,
                                .what = what});
  }

  void expect_whole(Waiting waiting) const {
    EXPECT_EQ(wrong_vectors(ref("copy"), waiting), std::vector<std::string>());
    EXPECT_EQ(inconsistencies(ref("copy")), std::vector<std::string>());
    const auto backend = make_embedded_backend();
    const auto collection = backend->collection(ref("copy"), "drawers", {});
    ASSERT_TRUE(collection.ok());
    EXPECT_EQ(*(*collection)->count(), static_cast<std::size_t>(kRecords));
  }
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
  copy_whole_to("copy");
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
