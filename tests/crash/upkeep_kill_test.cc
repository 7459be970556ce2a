// Processes are killed while they mend a palace, migrate it, back it up, restore it, save what is left of it or recover
// it. Afterwards the palace is whole, the interrupted work can be done again, and nothing of it is left lying about.
#include <algorithm>
#include <csignal>

#include "base/file.h"
#include "store/embedded/schema.h"
#include "tests/crash/palace_check.h"
#include "tests/crash/upkeep_fixture.h"

namespace loci::crash {
namespace {

namespace fs = std::filesystem;

constexpr int kDoubled = 100;

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
        TRY(embedded::open_connection(path("copy") / embedded::kDatabaseName, embedded::OpenMode::read_write));
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
            embedded::open_connection(path("copy") / embedded::kDatabaseName, embedded::OpenMode::read_write);
        ASSERT_TRUE(connection.ok());
        EXPECT_EQ(*(*connection)->query_integer("SELECT count(*) FROM documents WHERE colour = 'red'"), kRecords);
        EXPECT_EQ(*(*connection)->query_integer("SELECT count(*) FROM migrations WHERE what = 'schema'"), 2);
        EXPECT_EQ(inconsistent_tables(ref("copy")), std::vector<std::string>());
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

TEST_F(UpkeepKillTest, SavingADamagedPalace) {
  // Without its first page nothing tells where the tables are; all of their rows are there.
  std::string damaged = *read_file(path("whole") / embedded::kDatabaseName);
  std::fill_n(damaged.begin(), 4096, '\0');
  ASSERT_TRUE(write_file_atomically(path("whole") / embedded::kDatabaseName, damaged).ok());
  const auto save = [&] { return make_embedded_backend()->upkeep()->salvage(ref("whole"), ref("saved")); };
  kill_often(
      1, [&] { fs::remove_all(path("saved")); }, [&] { return save().ok() ? 0 : 1; },
      [&] {
        if (!fs::exists(path("saved") / embedded::kDatabaseName)) {
          const Result<SalvageReport> saved = save();
          ASSERT_TRUE(saved.ok()) << saved.error().message;
          EXPECT_EQ(saved->saved, static_cast<std::size_t>(kRecords));
          expect_only("saved", kPalaceFiles);
        }
        EXPECT_EQ(count_in(ref("saved")), static_cast<std::size_t>(kRecords));
        EXPECT_EQ(inconsistencies(ref("saved")), std::vector<std::string>());
        EXPECT_EQ(*read_file(path("whole") / embedded::kDatabaseName), damaged) << "the original was touched";
      },
      "while a damaged palace was saved");
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
