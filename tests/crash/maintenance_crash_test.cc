// Maintenance that is killed, or whose power goes, at any moment: the palace holds what it held, the next run does what
// was left, and nobody is kept out by the one that died.
#include <algorithm>

#include "tests/crash/palace_check.h"
#include "tests/crash/power_loss.h"
#include "tests/crash/upkeep_fixture.h"

namespace loci::crash {
namespace {

constexpr std::int64_t kPowerPoints = 12;  // of each kind
constexpr int kErased = 250;
constexpr int kKept = kRecords - kErased;

constexpr int kLong = 60;  // records that leave pages free

std::vector<Record> long_records() {
  std::vector<Record> records;
  for (int i = 0; i < kLong; ++i) {
    Record& record = records.emplace_back();
    record.id = "long" + std::to_string(i);
    record.document = std::string(3000, 'x');
  }
  return records;
}

std::vector<std::string> erased_ids() {
  std::vector<std::string> ids;
  for (int i = 0; i < kLong; ++i) ids.push_back("long" + std::to_string(i));
  for (int i = 0; i < kErased; ++i) ids.push_back("id" + std::to_string(i));
  return ids;
}

class MaintenanceCrashTest : public UpkeepKillTest, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    UpkeepKillTest::SetUp();
    const auto backend = make_embedded_backend();
    const auto drawers = backend->collection(ref("whole"), "drawers", {});
    ASSERT_TRUE(drawers.ok() && (*drawers)->add(long_records()).ok());
    ASSERT_TRUE((*drawers)->erase({.ids = erased_ids()}).ok());
  }

  // The same records in a new palace.
  bool copy_records(const PalaceRef& target) const {
    const auto backend = make_embedded_backend();
    const auto drawers = backend->collection(target, "drawers", {.if_missing = IfMissing::create});
    return drawers.ok() && (*drawers)->add(records()).ok() && (*drawers)->add(long_records()).ok() &&
           (*drawers)->erase({.ids = erased_ids()}).ok();
  }

  static int maintain(const PalaceRef& palace) {
    return make_embedded_backend()->run_maintenance(palace, GetParam()).ok() ? 0 : 1;
  }

  // The palace holds what it held, and the work can be done now.
  static void expect_whole(const PalaceRef& palace) {
    EXPECT_EQ(inconsistencies(palace), std::vector<std::string>());
    const auto backend = make_embedded_backend();
    const Result<MaintenanceReport> again = backend->run_maintenance(palace, GetParam());
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_NE(again->status, MaintenanceStatus::already_running) << "who died has no lease";
    const auto drawers = backend->collection(palace, "drawers", {});
    ASSERT_TRUE(drawers.ok());
    EXPECT_EQ(*(*drawers)->count(), static_cast<std::size_t>(kKept));
    EXPECT_EQ((*drawers)->match({.text = "text", .n_results = 1000})->size(), static_cast<std::size_t>(kKept));
    EXPECT_EQ((*drawers)->changes_since(0, 1000)->size(), static_cast<std::size_t>(kRecords + kLong));
    EXPECT_EQ(inconsistencies(palace), std::vector<std::string>());
  }
};

TEST_P(MaintenanceCrashTest, KilledAnywhereItLosesNothingAndKeepsNobodyOut) {
  kill_often(
      2, [&] { copy_whole_to("copy"); }, [&] { return maintain(ref("copy")); },
      [&] {
        expect_whole(ref("copy"));
        expect_only("copy", kPalaceFiles);
      },
      std::string("during ") + GetParam());
}

TEST_P(MaintenanceCrashTest, WhereverThePowerGoesNothingIsLost) {
  SCOPED_TRACE(seed_trace(seed_));
  std::int64_t points = 0;
  std::int64_t operations = 0;
  const auto run = [&](std::int64_t fail_at) {
    const PalaceRef palace = PalaceRef::at(path("power") / "palace");
    std::filesystem::remove_all(path("power"));
    std::filesystem::create_directories(path("power"));
    PowerLossDisk disk;
    // Written through the disk that will fail, so that it knows every byte.
    ASSERT_TRUE(copy_records(palace));
    const std::int64_t before = disk.operations();
    if (fail_at != 0) disk.fail_at(fail_at);
    const int code = maintain(palace);
    operations = disk.operations() - before;
    if (fail_at == 0) {
      ASSERT_EQ(code, 0);
      return;
    }
    ASSERT_TRUE(disk.has_failed()) << "the power must go, or nothing was tried";
    for (int survivors = 0; survivors < 4; ++survivors) {
      ASSERT_TRUE(disk.write_survivors(static_cast<Survivors>(survivors), random_, path("power") / "palace",
                                       path("power") / std::to_string(survivors))
                      .ok());
    }
    ++points;
  };
  run(0);
  ASSERT_GT(operations, 0);
  const std::int64_t all = operations;
  const std::int64_t stride = std::max<std::int64_t>(1, all / kPowerPoints);
  for (std::int64_t at = 1 + static_cast<std::int64_t>(random_() % static_cast<unsigned>(stride)); at <= all;
       at += stride) {
    SCOPED_TRACE("the power goes at operation " + std::to_string(at) + " of " + std::to_string(all));
    run(at);
    if (HasFatalFailure()) return;
    for (int survivors = 0; survivors < 4; ++survivors) {
      SCOPED_TRACE("survivors " + std::to_string(survivors));
      expect_whole(PalaceRef::at(path("power") / std::to_string(survivors)));
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(points, 0);
}

INSTANTIATE_TEST_SUITE_P(Kinds, MaintenanceCrashTest, testing::Values("analyze", "compact", "reindex"),
                         [](const auto& kind) { return std::string(kind.param); });

}  // namespace
}  // namespace loci::crash
