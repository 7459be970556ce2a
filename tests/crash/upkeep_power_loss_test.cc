// The power goes while a palace is imported into, mended, migrated, backed up, restored or saved. What the work makes
// is on the disk whole or not at all, and where it was acknowledged it is there; done again it succeeds.
#include <algorithm>

#include <gtest/gtest.h>

#include "tests/crash/effort.h"
#include "tests/crash/power_loss.h"
#include "tests/crash/upkeep_work.h"
#include "tests/fast_folder.h"

namespace loci::crash {
namespace {

constexpr std::int64_t kPoints = 20;  // of each work, each with four kinds of survivors

class UpkeepPowerLossTest : public testing::TestWithParam<UpkeepWork> {
 protected:
  void SetUp() override {
    const Status made = make_upkeep_inputs(inputs());
    ASSERT_TRUE(made.ok()) << made.error().message;
  }

  std::filesystem::path inputs() const { return folder_.path() / "inputs"; }
  std::filesystem::path result() const { return folder_.path() / "result"; }
  std::filesystem::path survivors(int kind) const { return folder_.path() / std::to_string(kind); }

  struct Run {
    bool is_acknowledged = false;
    bool lost_power = false;
    std::int64_t operations = 0;
  };
  // 0: the power stays.
  Run run(Syncs syncs, std::int64_t fail_at) {
    std::filesystem::remove_all(result());
    EXPECT_TRUE(GetParam().prepare(inputs(), result()).ok());
    PowerLossDisk disk(syncs);
    disk.watch(result());
    disk.fail_at(fail_at);
    Run run;
    run.is_acknowledged = GetParam().run(inputs(), result()).ok();
    run.lost_power = disk.has_failed();
    run.operations = disk.operations();
    for (int kind = 0; kind < 4; ++kind) {
      std::filesystem::remove_all(survivors(kind));
      EXPECT_TRUE(disk.write_survivors(static_cast<Survivors>(kind), random_, result(), survivors(kind)).ok());
    }
    return run;
  }

  // This disk may keep the name of the first journal and lose that of the database, which was made before it; then no
  // palace is made until somebody has moved the journal aside, as the message says.
  static void move_stray_journal_aside(const std::filesystem::path& folder) {
    if (!std::filesystem::exists(folder / "palace.db")) std::filesystem::remove(folder / "palace.db-journal");
  }

  // What is wrong after the power is back.
  std::vector<std::string> violations(const std::filesystem::path& folder, bool is_acknowledged) const {
    const UpkeepWork& work = GetParam();
    const bool is_made = !work.makes.empty() && std::filesystem::exists(folder / work.makes);
    if (is_acknowledged && !is_made && !work.makes.empty()) return {work.makes + " was acknowledged and is gone"};
    if (!is_made && !is_acknowledged) {
      move_stray_journal_aside(folder);
      const Status again = work.run(inputs(), folder);
      if (!again.ok()) return {"done again: " + again.error().message};
    }
    return work.violations(folder);
  }

  const TemporaryFolder folder_ = fast_folder();
  std::mt19937 random_;
};

TEST_P(UpkeepPowerLossTest, WhereverThePowerGoesTheWorkIsDoneOrCanBeDoneAgain) {
  const unsigned seed = test_seed();
  SCOPED_TRACE(seed_trace(seed));
  random_.seed(seed);
  const Run whole = run(Syncs::honest, 0);
  ASSERT_TRUE(whole.is_acknowledged);
  const std::int64_t stride = std::max<std::int64_t>(1, whole.operations / kPoints);
  Effort points(kPoints);
  while (!points.is_enough()) {
    for (std::int64_t at = 1 + static_cast<std::int64_t>(random_() % static_cast<unsigned>(stride));
         at <= whole.operations; at += stride) {
      SCOPED_TRACE("the power goes at operation " + std::to_string(at) + " of " + std::to_string(whole.operations));
      const Run lost = run(Syncs::honest, at);
      ASSERT_TRUE(lost.lost_power) << "the power must go, or nothing was tried";
      for (int kind = 0; kind < 4; ++kind) {
        ASSERT_EQ(violations(survivors(kind), lost.is_acknowledged), std::vector<std::string>())
            << "survivors " << kind;
      }
      points.add();
    }
  }
  points.report("points of power loss", std::string("during ") + GetParam().name);
}

// The test can fail: where syncs do nothing, what was made and acknowledged is not there.
using UpkeepWithoutSyncsTest = UpkeepPowerLossTest;
TEST_P(UpkeepWithoutSyncsTest, AcknowledgedWorkIsFoundToBeLost) {
  const Run whole = run(Syncs::ignored, 0);
  ASSERT_TRUE(whole.is_acknowledged);
  EXPECT_NE(violations(survivors(static_cast<int>(Survivors::none)), true), std::vector<std::string>());
}

std::vector<UpkeepWork> works_that_make_something() {
  std::vector<UpkeepWork> works;
  for (const UpkeepWork& work : upkeep_works()) {
    if (!work.makes.empty()) works.push_back(work);
  }
  return works;
}

std::string name_of_work(const testing::TestParamInfo<UpkeepWork>& work) { return work.param.name; }

INSTANTIATE_TEST_SUITE_P(Works, UpkeepPowerLossTest, testing::ValuesIn(upkeep_works()), name_of_work);
INSTANTIATE_TEST_SUITE_P(Works, UpkeepWithoutSyncsTest, testing::ValuesIn(works_that_make_something()), name_of_work);

}  // namespace
}  // namespace loci::crash
