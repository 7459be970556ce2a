// Writers are killed at random moments, several at once. Every acknowledged write must be there with its exact text and
// vector, the one that was under way wholly or not at all, and nothing twice.
#include <chrono>
#include <random>

#include <gtest/gtest.h>

#include "store/embedded/embedded_backend.h"
#include "tests/crash/effort.h"
#include "tests/crash/kill_harness.h"
#include "tests/fast_folder.h"

namespace loci::crash {
namespace {

using namespace std::chrono_literals;

constexpr int kWorkers = 8;
constexpr std::int64_t kKills = 320;  // the other kills are those of upkeep_kill_test.cc
constexpr std::int64_t kMostKills = 8000;

class KillTest : public testing::Test {
 protected:
  void SetUp() override { start_anew(); }

  void start_anew() {
    folder_ = fast_folder();
    const auto backend = make_embedded_backend();
    ASSERT_TRUE(backend->collection(palace(), "drawers", {.if_missing = IfMissing::create}).ok());
  }
  PalaceRef palace() const { return PalaceRef::at(folder_.path() / "palace"); }

  TemporaryFolder folder_;
};

TEST_F(KillTest, KilledWritersLoseAndDoubleNothing) {
  constexpr std::int64_t kKillsPerPalace = 800;  // a larger palace only makes the checks slow
  const unsigned seed = test_seed();
  SCOPED_TRACE(seed_trace(seed));
  std::mt19937 random(seed);
  Effort kills(kKills);
  std::int64_t acknowledged = 0;
  // On a slow machine many die before their first write; without writes the test would prove nothing.
  for (bool is_first = true; !kills.is_enough() || acknowledged < kKills; is_first = false) {
    ASSERT_TRUE(acknowledged >= kKills || kills.done() < kMostKills) << "the workers never get anything done";
    if (!is_first) start_anew();
    KillHarness harness(palace(), kWorkers);
    while (harness.kills() < kKillsPerPalace &&
           (!kills.is_enough() || acknowledged + harness.acknowledged() < kKills)) {
      ASSERT_EQ(harness.kill_round(random), std::vector<std::string>());
      kills.add(kWorkers);
    }
    acknowledged += harness.acknowledged();
  }
  kills.report("kills of writing processes", std::to_string(acknowledged) + " acknowledged writes, 0 lost, 0 doubled");
}

TEST_F(KillTest, EightWritersAtOnceLoseAndDoubleNothingAndNoneIsToldBusy) {
  KillHarness harness(palace(), kWorkers);
  EXPECT_EQ(harness.quiet_round(3s), std::vector<std::string>());
  EXPECT_GT(harness.fewest_acknowledged(), 0) << "a worker never got its turn";
}

// The harness can fail: these stores are broken.
TEST_F(KillTest, AUniqueKeyThatIsDroppedIsNoticed) {
  KillHarness harness(palace(), kWorkers, Defect::unique_key_dropped);
  EXPECT_NE(harness.quiet_round(2s), std::vector<std::string>());
}

TEST_F(KillTest, WordsThatAreNotUpdatedAreNoticed) {
  KillHarness harness(palace(), 1, Defect::words_not_updated);
  const std::vector<std::string> wrong = harness.quiet_round(500ms);
  ASSERT_GT(harness.fewest_acknowledged(), 0);
  ASSERT_FALSE(wrong.empty());
  for (const std::string& each : wrong)
    EXPECT_TRUE(each.starts_with("verify, words: ")) << "nothing else is wrong: " << each;
}

}  // namespace
}  // namespace loci::crash
