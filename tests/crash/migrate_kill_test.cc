// Migrations that are killed at random moments: the next one goes on, and in the end the palace is that of one clean
// run.
#include <functional>
#include <map>

#include <gtest/gtest.h>

#include "ops/compare.h"
#include "ops/migrate.h"
#include "store/embedded/embedded_backend.h"
#include "tests/crash/killed_work.h"
#include "tests/crash/palace_check.h"

namespace loci::crash {
namespace {

constexpr std::int64_t kKills = 30;
constexpr int kRecords = 3'000;

class MigrateKillTest : public KilledWorkTest {
 protected:
  void make_source() const {
    const auto backend = make_embedded_backend();
    std::vector<Record> records;
    for (int i = 0; i < kRecords; ++i) {
      Record& record = records.emplace_back(Record{.id = "id" + std::to_string(i),
                                                   .document = "The text of record " + std::to_string(i) + ".",
                                                   .metadata = {{"n", std::int64_t{i}}}});
      if (i % 10 != 0) record.embedding = Embedding(16, static_cast<float>(i + 1));
    }
    for (const char* name : {"closets", "drawers"}) {
      const auto collection = backend->collection(ref("source"), name, {.if_missing = IfMissing::create});
      ASSERT_TRUE(collection.ok() && (*collection)->add(records).ok());
    }
  }

  Result<MigrateReport> migrate_once(bool overwrite = false) const {
    const auto backend = make_embedded_backend();
    return migrate(*backend, *backend, {.source = ref("source"), .target = ref("copy"), .overwrite = overwrite});
  }

  // Goes on until it is whole, and compares.
  void expect_whole() const {
    const auto backend = make_embedded_backend();
    const auto record = read_migration_record(*backend, ref("copy"), Access::read_only);
    ASSERT_TRUE(record.ok()) << record.error().message;
    if (!*record || (*record)->phase != MigrationPhase::complete) {
      const auto done = migrate_once();
      ASSERT_TRUE(done.ok()) << done.error().message;
    }
    const auto compared = compare_palaces(*backend, *backend, {.palace = ref("copy"), .source = ref("source")});
    ASSERT_TRUE(compared.ok()) << compared.error().message;
    EXPECT_EQ(compared->equal, 2U * kRecords);
    EXPECT_EQ(compared->only_here, 0U);
    EXPECT_EQ((*backend->collection(ref("copy"), "drawers", {}))->info()->missing, std::size_t{kRecords} / 10);
    EXPECT_EQ(inconsistencies(ref("copy")), std::vector<std::string>());
  }
};

TEST_F(MigrateKillTest, KilledAnywhereAndRunAgainThePalaceIsThatOfOneRun) {
  make_source();
  kill_often({.processes = 1,
              .kills = kKills,
              .prepare = [this] { std::filesystem::remove_all(path("copy")); },
              .work = [this](int) { return migrate_once().ok() ? 0 : 1; },
              .check = [this] { expect_whole(); },
              .what = "while a palace was migrated"});
}

TEST_F(MigrateKillTest, KilledWhileItOverwritesItLeavesNothingOfTheOldOnes) {
  make_source();
  {
    const auto backend = make_embedded_backend();
    const auto old = backend->collection(ref("whole"), "drawers", {.if_missing = IfMissing::create});
    std::vector<Record> records;
    for (int i = 0; i < 2'000; ++i) records.push_back({.id = "old" + std::to_string(i), .embedding = Embedding{1, 2}});
    ASSERT_TRUE((*old)->add(records).ok());
  }
  kill_often({.processes = 1,
              .kills = kKills / 3,
              .prepare = [this] { copy_whole_to("copy"); },
              .work = [this](int) { return migrate_once(true).ok() ? 0 : 1; },
              .check =
                  [this] {
                    const auto backend = make_embedded_backend();
                    const auto record = read_migration_record(*backend, ref("copy"), Access::read_only);
                    ASSERT_TRUE(record.ok());
                    if (!*record) return;  // it had not begun
                    expect_whole();
                  },
              .what = "while a palace was overwritten"});
}

}  // namespace
}  // namespace loci::crash
