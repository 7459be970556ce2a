// Processes are killed while they mend a palace, migrate it, back it up, restore it or recover it. Afterwards the
// palace is whole, the interrupted work can be done again, and nothing of it is left lying about.
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "base/sha256.h"
#include "base/temporary_folder.h"
#include "store/embedded/database.h"
#include "store/embedded/embedded_backend.h"
#include "store/embedded/schema.h"
#include "store/embedded/sqlite.h"
#include "tests/crash/child_process.h"
#include "tests/crash/effort.h"
#include "tests/crash/palace_check.h"

namespace loci::crash {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kKills = 36;  // of each operation; with those of kill_test.cc they are 500
constexpr std::int64_t kTries = 4000;
constexpr int kRecords = 300;
constexpr int kDoubled = 100;

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
    std::vector<Record> records;
    for (int i = 0; i < kRecords; ++i) {
      Record record{.id = "id" + std::to_string(i), .document = "text " + std::to_string(i)};
      record.embedding = Embedding{static_cast<float>(i + 1), 1, 2};
      record.details.emplace().key = UniqueKey{"/source.md", to_hex(sha256(record.document)), 0};
      records.push_back(std::move(record));
    }
    ASSERT_TRUE((*collection)->add(records).ok());
  }

  fs::path path(const std::string& name) const { return folder_.path() / name; }
  PalaceRef ref(const std::string& name) const { return PalaceRef::at(path(name)); }

  void copy_whole_to(const std::string& name) const {
    fs::remove_all(path(name));
    fs::copy(path("whole"), path(name));
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
    for (const auto& entry : fs::directory_iterator(path(folder)))
      EXPECT_TRUE(names.contains(entry.path().filename())) << entry.path() << " was left behind";
  }

  TemporaryFolder folder_;
  unsigned seed_ = 0;
  std::mt19937 random_;
};

const std::set<std::string> kPalaceFiles = {"palace.db", "palace.db-wal", "palace.db-shm", "writers.lock"};

TEST_F(UpkeepKillTest, MendingDuplicates) {
  execute("whole",
          "DROP INDEX records_by_key; UPDATE records SET content_hash = (SELECT content_hash FROM records r "
          "WHERE r.row = records.row + 1) WHERE row <= " +
              std::to_string(kDoubled) + " AND row % 2 = 1");
  const auto open = [&] { return make_embedded_backend()->collection(ref("copy"), "drawers", {}).ok() ? 0 : 1; };
  kill_often(
      3, [&] { copy_whole_to("copy"); }, open,
      [&] {
        EXPECT_EQ(count_in(ref("copy")), kRecords - kDoubled / 2);
        EXPECT_EQ(inconsistencies(ref("copy")), std::vector<std::string>());
        expect_only("copy", kPalaceFiles);
      },
      "while duplicates were mended");
}

TEST_F(UpkeepKillTest, Migrating) {
  static constexpr embedded::Migration kSteps[] = {
      {embedded::kSchemaVersion,
       [](embedded::Connection& c) { return c.execute("ALTER TABLE documents ADD COLUMN colour TEXT"); }},
      {embedded::kSchemaVersion + 1,
       [](embedded::Connection& c) { return c.execute("UPDATE documents SET colour = 'red'"); }}};
  const auto migrate = [&]() -> Status {
    const auto connection =
        TRY(embedded::Connection::open(path("copy") / embedded::kDatabaseName, embedded::OpenMode::read_write));
    embedded::WriterQueue queue(path("copy") / "writers.lock", std::chrono::seconds(20));
    queue.attach(connection->handle());
    embedded::Transaction transaction =
        TRY(embedded::Transaction::begin(*connection, embedded::Transaction::Kind::write));
    TRY(embedded::migrate_schema(*connection, kSteps, embedded::kSchemaVersion + 2));
    return transaction.commit();
  };
  kill_often(
      3, [&] { copy_whole_to("copy"); }, [&] { return migrate().ok() ? 0 : 1; },
      [&] {
        ASSERT_TRUE(migrate().ok());
        const auto connection =
            embedded::Connection::open(path("copy") / embedded::kDatabaseName, embedded::OpenMode::read_write);
        ASSERT_TRUE(connection.ok());
        EXPECT_EQ(*(*connection)->query_integer("SELECT count(*) FROM documents WHERE colour = 'red'"), kRecords);
        EXPECT_EQ(*(*connection)->query_integer("SELECT count(*) FROM migrations WHERE what = 'schema'"), 2);
        EXPECT_EQ(inconsistencies(ref("copy")), std::vector<std::string>());
      },
      "while the schema was migrated");
}

TEST_F(UpkeepKillTest, BackingUp) {
  fs::create_directory(path("backups"));
  const auto back_up = [&] {
    return make_embedded_backend()->upkeep()->backup(ref("whole"), path("backups") / "b.loci").ok() ? 0 : 1;
  };
  kill_often(
      1, [&] { fs::remove(path("backups") / "b.loci"); }, back_up,
      [&] {
        if (!fs::exists(path("backups") / "b.loci")) {
          ASSERT_EQ(back_up(), 0);
          expect_only("backups", {"b.loci"});
        }
        fs::remove_all(path("restored"));
        const auto restored = make_embedded_backend()->upkeep()->restore(path("backups") / "b.loci", ref("restored"));
        ASSERT_TRUE(restored.ok()) << restored.error().message;
        EXPECT_EQ(restored->records, static_cast<std::size_t>(kRecords));
        EXPECT_EQ(inconsistencies(ref("whole")), std::vector<std::string>());
      },
      "while a palace was backed up");
}

TEST_F(UpkeepKillTest, Restoring) {
  ASSERT_TRUE(make_embedded_backend()->upkeep()->backup(ref("whole"), path("b.loci")).ok());
  const auto restore = [&] {
    return make_embedded_backend()->upkeep()->restore(path("b.loci"), ref("restored")).ok() ? 0 : 1;
  };
  kill_often(
      1, [&] { fs::remove_all(path("restored")); }, restore,
      [&] {
        if (!fs::exists(path("restored") / embedded::kDatabaseName)) {
          ASSERT_EQ(restore(), 0);
          expect_only("restored", kPalaceFiles);
        }
        EXPECT_EQ(count_in(ref("restored")), static_cast<std::size_t>(kRecords));
        EXPECT_EQ(inconsistencies(ref("restored")), std::vector<std::string>());
      },
      "while a palace was restored");
}

TEST_F(UpkeepKillTest, Recovering) {
  // A log that the next process to open the palace must read again.
  const auto write = [&] {
    const auto backend = make_embedded_backend();
    const auto collection = backend->collection(ref("copy"), "drawers", {});
    if (!collection.ok()) return 1;
    std::vector<RecordUpdate> updates;
    for (int i = 0; i < kRecords; ++i)
      updates.push_back({.id = "id" + std::to_string(i), .document = "changed " + std::to_string(i)});
    if (!(*collection)->update(updates).ok()) return 1;
    ::raise(SIGKILL);
    return 1;
  };
  const auto open = [&] { return make_embedded_backend()->collection(ref("copy"), "drawers", {}).ok() ? 0 : 1; };
  kill_often(
      3,
      [&] {
        copy_whole_to("copy");
        ChildProcess writer(write);
        ASSERT_FALSE(writer.wait());
        ASSERT_GT(fs::file_size(path("copy") / "palace.db-wal"), 0U);
      },
      open,
      [&] {
        const auto backend = make_embedded_backend();
        const auto collection = backend->collection(ref("copy"), "drawers", {});
        ASSERT_TRUE(collection.ok());
        EXPECT_EQ((*collection)->get({.selection = {.ids = {{"id7"}}}})->front().document, "changed 7");
        EXPECT_EQ(inconsistencies(ref("copy")), std::vector<std::string>());
      },
      "while a log was recovered");
}

}  // namespace
}  // namespace loci::crash
