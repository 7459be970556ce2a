// Writers are killed at random moments, several at once. Every acknowledged write must be there with its exact text and
// vector, the one that was under way wholly or not at all, and nothing twice.
#include <chrono>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "base/temporary_folder.h"
#include "store/embedded/embedded_backend.h"
#include "tests/crash/palace_check.h"
#include "tests/crash/worker_process.h"
#include "tests/crash/workload.h"

namespace loci::crash {
namespace {

constexpr int kWorkers = 8;

class KillTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto backend = make_embedded_backend();
    ASSERT_TRUE(backend->collection(palace_, "drawers", {.if_missing = IfMissing::create}).ok());
  }

  // Compares what a worker's part of the palace is with what it must be; a step under way may have happened or not.
  void settle(int worker, const Progress& progress, const Held& held) {
    const auto at = static_cast<std::size_t>(worker);
    EXPECT_FALSE(progress.failed) << "a step of worker " << worker << " gave an error";
    for (; next_[at] < progress.acknowledged; ++next_[at]) {
      const Step step(worker, next_[at]);
      step.apply_to(expected_[at]);
      if (step.kind() == StepKind::ingest)
        must_be_shared_.insert(shared_text(static_cast<int>(next_[at] % kSharedTexts)));
    }
    const State actual = part_of(held.state, worker);
    if (actual == expected_[at]) return;
    ASSERT_TRUE(progress.in_flight) << "worker " << worker << " lost or gained something after step " << next_[at];
    Step(worker, next_[at]).apply_to(expected_[at]);
    ++next_[at];
    EXPECT_EQ(actual, expected_[at]) << "worker " << worker << " half wrote step " << next_[at] - 1;
  }

  void check_shared(const Held& held) const {
    for (const std::string& text : must_be_shared_)
      EXPECT_TRUE(held.shared.contains(text)) << text << " was acknowledged and is gone";
    for (const auto& [text, count] : held.shared) EXPECT_EQ(count, 1) << text;
  }

  TemporaryFolder folder_;
  const PalaceRef palace_ = PalaceRef::at(folder_.path() / "palace");
  std::vector<std::int64_t> next_ = std::vector<std::int64_t>(kWorkers, 0);
  std::vector<State> expected_ = std::vector<State>(kWorkers);
  std::set<std::string> must_be_shared_;
};

TEST_F(KillTest, TwoHundredKilledWritersLoseAndDoubleNothing) {
  const char* given = std::getenv("LOCI_TEST_SEED");
  const auto seed = given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : std::random_device()();
  SCOPED_TRACE("LOCI_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  int kills = 0;
  const auto acknowledged = [&] { return std::accumulate(next_.begin(), next_.end(), std::int64_t{0}); };
  // On a slow machine many die before their first write; without writes the test would prove nothing.
  while (kills < 200 || acknowledged() < 200) {
    ASSERT_LT(kills, 4000) << "the workers never get anything done";
    std::vector<std::unique_ptr<WorkerProcess>> workers;
    for (int worker = 0; worker < kWorkers; ++worker) {
      workers.push_back(std::make_unique<WorkerProcess>(palace_, worker, next_[static_cast<std::size_t>(worker)]));
    }
    std::vector<Progress> progress(kWorkers);
    for (int worker = 0; worker < kWorkers; ++worker) {
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 30'000));
      ASSERT_TRUE(
          workers[static_cast<std::size_t>(worker)]->kill_and_collect(progress[static_cast<std::size_t>(worker)]))
          << "worker " << worker << " ended by something else than the kill";
      ++kills;
    }
    const Result<Held> held = read_palace(palace_);
    ASSERT_TRUE(held.ok()) << held.error().message;
    for (int worker = 0; worker < kWorkers; ++worker) settle(worker, progress[static_cast<std::size_t>(worker)], *held);
    check_shared(*held);
    ASSERT_EQ(inconsistencies(palace_), std::vector<std::string>());
    if (HasFailure()) return;
  }
  RecordProperty("kills", std::to_string(kills));
  RecordProperty("acknowledged", std::to_string(acknowledged()));
}

TEST_F(KillTest, EightWritersAtOnceLoseAndDoubleNothingAndNoneIsToldBusy) {
  std::vector<std::unique_ptr<WorkerProcess>> workers;
  for (int worker = 0; worker < kWorkers; ++worker)
    workers.push_back(std::make_unique<WorkerProcess>(palace_, worker, 0));
  std::this_thread::sleep_for(std::chrono::seconds(3));
  std::vector<Progress> progress(kWorkers);
  for (int worker = 0; worker < kWorkers; ++worker) {
    const auto at = static_cast<std::size_t>(worker);
    ASSERT_TRUE(workers[at]->stop_and_collect(progress[at]));
    EXPECT_GT(progress[at].acknowledged, 0) << "worker " << worker << " never got its turn";
  }
  const Result<Held> held = read_palace(palace_);
  ASSERT_TRUE(held.ok());
  for (int worker = 0; worker < kWorkers; ++worker) settle(worker, progress[static_cast<std::size_t>(worker)], *held);
  check_shared(*held);
  EXPECT_EQ(inconsistencies(palace_), std::vector<std::string>());
}

}  // namespace
}  // namespace loci::crash
