// A palace whose upkeep is killed again and again, for the tests of this folder.
#pragma once

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/sha256.h"
#include "base/temporary_folder.h"
#include "store/embedded/database.h"
#include "store/embedded/embedded_backend.h"
#include "store/embedded/sqlite.h"
#include "tests/crash/child_process.h"
#include "tests/crash/effort.h"

namespace loci::crash {

inline constexpr std::int64_t kKills = 36;  // of each operation; with those of kill_test.cc they are 500
inline constexpr std::int64_t kTries = 4000;
inline constexpr int kRecords = 300;

class UpkeepKillTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> in_memory = TemporaryFolder::create_in("/dev/shm");
    if (in_memory.ok()) folder_ = std::move(*in_memory);
    seed_ = test_seed();
    random_.seed(seed_);
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

  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }
  PalaceRef ref(const std::string& name) const { return PalaceRef::at(path(name)); }

  void copy_whole_to(const std::string& name) const {
    std::filesystem::remove_all(path(name));
    std::filesystem::copy(path("whole"), path(name));
  }

  void execute(const std::string& name, const std::string& sql) const {
    const auto connection =
        embedded::Connection::open(path(name) / embedded::kDatabaseName, embedded::OpenMode::read_write);
    ASSERT_TRUE(connection.ok() && (*connection)->execute(sql).ok());
  }

  // Starts `processes` that do the work, kills each after a random time, and has the result checked; again and again.
  // What ended before its kill does not count, and the time it takes is learnt, so that most are hit under way.
  void kill_often(int processes, const std::function<void()>& prepare, const std::function<int()>& work,
                  const std::function<void()>& check, std::string_view what) {
    SCOPED_TRACE(seed_trace(seed_));
    Effort kills(kKills);
    double window_us = 20'000;
    for (std::int64_t tries = 0; !kills.is_enough(); ++tries) {
      ASSERT_LT(tries, kTries + kills.done() * 20) << "the work is over too soon to be killed";
      prepare();
      std::vector<std::unique_ptr<ChildProcess>> children;
      for (int i = 0; i < processes; ++i) children.push_back(std::make_unique<ChildProcess>(work));
      for (const auto& child : children) {
        std::this_thread::sleep_for(std::chrono::microseconds(random_() % static_cast<unsigned>(window_us)));
        ASSERT_TRUE(child->kill()) << "a process failed by itself";
        kills.add(child->was_killed() ? 1 : 0);
        window_us = std::max(500.0, window_us * (child->was_killed() ? 1.02 : 0.9));
      }
      check();
      if (HasFailure()) return;
    }
    kills.report("kills", what);
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

  TemporaryFolder folder_;
  unsigned seed_ = 0;
  std::mt19937 random_;
};

inline const std::set<std::string> kPalaceFiles = {"palace.db",    "palace.db-wal", "palace.db-shm",
                                                   "writers.lock", "index.lock",    "maintenance.lock"};

}  // namespace loci::crash
