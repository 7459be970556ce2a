// A palace whose upkeep is killed again and again, for the tests of this folder.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/sha256.h"
#include "store/embedded/database.h"
#include "store/embedded/embedded_backend.h"
#include "store/embedded/sqlite.h"
#include "tests/crash/killed_work.h"

namespace loci::crash {

inline constexpr std::int64_t kKills = 36;  // of each operation; with those of kill_test.cc they are 500
inline constexpr int kRecords = 300;

class UpkeepKillTest : public KilledWorkTest {
 protected:
  void SetUp() override {
    KilledWorkTest::SetUp();
    const auto backend = make_embedded_backend();
    const auto collection = backend->collection(ref("whole"), "drawers", {.if_missing = IfMissing::create});
    ASSERT_TRUE(collection.ok());
    ASSERT_TRUE((*collection)->add(records()).ok());
  }

  static std::vector<Record> records() {
    std::vector<Record> made;
    for (int i = 0; i < kRecords; ++i) {
      Record record{.id = "id" + std::to_string(i), .document = "text " + std::to_string(i)};
      record.embedding = Embedding{static_cast<float>(i + 1), 1, 2};
      record.details.emplace().key = UniqueKey{"/source.md", to_hex(sha256(record.document)), 0};
      made.push_back(std::move(record));
    }
    return made;
  }

  void execute(const std::string& name, const std::string& sql) const {
    const auto connection =
        embedded::open_connection(path(name) / embedded::kDatabaseName, embedded::OpenMode::read_write);
    ASSERT_TRUE(connection.ok() && (*connection)->execute(sql).ok());
  }

  void kill_often(int processes, const std::function<void()>& prepare, const std::function<int()>& work,
                  const std::function<void()>& check, std::string_view what) {
    KilledWorkTest::kill_often({.processes = processes,
                                .kills = kKills,
                                .prepare = prepare,
                                .work = [&work](int) { return work(); },
                                .check = check,
                                .what = what});
  }

  static std::size_t count_in(const PalaceRef& palace) {
    const auto backend = make_embedded_backend();
    const auto collection = backend->collection(palace, "drawers", {});
    EXPECT_TRUE(collection.ok()) << collection.error().message;
    return collection.ok() ? *(*collection)->count() : 0;
  }

  void expect_only(const std::string& folder, const std::set<std::string>& names) const {
    for (const auto& entry : std::filesystem::directory_iterator(path(folder)))
      EXPECT_TRUE(names.contains(entry.path().filename())) << entry.path() << " was left behind";
  }
};

inline const std::set<std::string> kPalaceFiles = {"palace.db",    "palace.db-wal", "palace.db-shm",
                                                   "writers.lock", "index.lock",    "maintenance.lock"};

}  // namespace loci::crash
