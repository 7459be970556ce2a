#include "store/embedded/schema.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "store/embedded/test_palace.h"
#include "text/tokenizer.h"

namespace loci::embedded {
namespace {

Result<std::shared_ptr<Collection>> open(TestPalace& palace) {
  return palace.backend().collection(palace.ref(), "drawers", {});
}

TEST(SchemaTest, ANewPalaceHasEveryIndex) {
  TestPalace palace;
  ASSERT_NE(palace.drawers(), nullptr);
  EXPECT_EQ(palace.query("PRAGMA user_version"), kSchemaVersion);
  EXPECT_EQ(palace.query("PRAGMA application_id"), kApplicationId);
  const auto connection = palace.connect();
  EXPECT_FALSE(*needs_preparation(*connection));
}

TEST(SchemaTest, ANewerDatabaseIsRefusedAndStaysAsItIsByteForByte) {
  TestPalace palace;
  ASSERT_TRUE(palace.drawers()->add(batch(record("a", "text"))).ok());
  palace.reopen();
  palace.execute("PRAGMA user_version = 99");
  const std::string before = *read_file(palace.file());
  const auto refused = open(palace);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::version_mismatch);
  EXPECT_EQ(*read_file(palace.file()), before);
  EXPECT_FALSE(std::filesystem::exists(palace.file().string() + "-wal"));
}

TEST(SchemaTest, ANewerVersionThatStandsInTheLogOnlyIsRefusedUntouchedToo) {
  TestPalace palace;
  ASSERT_NE(palace.drawers(), nullptr);
  palace.reopen();
  const auto newer_program = palace.connect();  // still open, so the log is not yet moved into the file
  ASSERT_TRUE(newer_program->execute("PRAGMA user_version = 99").ok());
  const std::string before = *read_file(palace.file());
  const auto refused = open(palace);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::version_mismatch);
  EXPECT_EQ(*read_file(palace.file()), before);
}

TEST(SchemaTest, AnotherProgramsDatabaseIsRefused) {
  TestPalace palace;
  std::filesystem::create_directories(palace.folder());
  ASSERT_TRUE((*open_connection(palace.file(), OpenMode::read_write_create))->execute("CREATE TABLE theirs(x)").ok());
  const std::string before = *read_file(palace.file());
  for (const IfMissing if_missing : {IfMissing::fail, IfMissing::create}) {
    const auto refused = palace.backend().collection(palace.ref(), "drawers", {.if_missing = if_missing});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().kind, ErrorKind::corruption);
  }
  EXPECT_EQ(*read_file(palace.file()), before);
}

TEST(SchemaTest, AnOlderTokenizersWordsAreIndexedAgainFromTheRows) {
  TestPalace palace;
  ASSERT_TRUE(palace.drawers()->add(batch(record("a", "findable words"))).ok());
  palace.reopen();
  palace.execute("UPDATE palace SET value = 0 WHERE key = 'tokenizer_version'; DELETE FROM words_1 WHERE rowid = 1");
  const auto hits = palace.drawers()->match({.text = "findable"});
  ASSERT_TRUE(hits.ok());
  EXPECT_EQ(hits->size(), 1U);
  EXPECT_EQ(palace.query("SELECT value FROM palace WHERE key = 'tokenizer_version'"), kTokenizerVersion);
}

TEST(SchemaTest, AnIndexThatWasLostIsMadeAgain) {
  TestPalace palace;
  ASSERT_NE(palace.drawers(), nullptr);
  palace.reopen();
  palace.execute("DROP INDEX records_by_place; DROP INDEX records_by_seq; DROP INDEX records_pending");
  ASSERT_NE(palace.drawers(), nullptr);
  EXPECT_FALSE(*needs_preparation(*palace.connect()));
}

// Palaces made before the indexes became narrower keep theirs until they are made again.
TEST(SchemaTest, WiderIndexesOfEarlierPalacesDoTheSame) {
  TestPalace palace;
  ASSERT_NE(palace.drawers(), nullptr);
  palace.reopen();
  palace.execute(
      "DROP INDEX records_by_key; DROP INDEX records_pending; DROP INDEX records_missing; "
      "CREATE UNIQUE INDEX records_by_key ON records(source, content_hash, occurrence) WHERE source IS NOT NULL; "
      "CREATE INDEX records_pending ON records(collection, row) WHERE embedded = 0; "
      "CREATE INDEX records_missing ON records(collection, row) WHERE embedded = 2");
  ASSERT_TRUE(palace.drawers()->add(batch(ingested("a", "text", "notes.md"))).ok());
  const auto again = palace.drawers()->add(batch(ingested("b", "text", "notes.md")));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->at(0).id, "a");
  EXPECT_EQ(again->at(0).state, WriteState::already_there);
  palace.reopen();
  EXPECT_EQ(palace.query("SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%(collection, row)%'"), 2);
}

TEST(SchemaTest, ADatabaseOfTheFirstVersionIsMigrated) {
  TestPalace palace;
  ASSERT_TRUE(palace.drawers()->add(batch(record("a", "text"))).ok());
  palace.reopen();
  palace.execute(
      "DROP TABLE next_models; DROP TABLE next_vectors; DROP TABLE source_states; DROP TABLE erased_keys; DROP TABLE "
      "segments; "
      "PRAGMA user_version = 1");
  EXPECT_EQ(palace.drawers()->count().value(), 1U);
  EXPECT_EQ(palace.query("PRAGMA user_version"), kSchemaVersion);
  EXPECT_EQ(palace.query("SELECT count(*) FROM next_vectors"), 0);
}

TEST(SchemaTest, APalaceOfTheSecondVersionGetsTheTablesOfSources) {
  TestPalace palace;
  ASSERT_TRUE(palace.drawers()->add(batch(ingested("a", "text", "notes.md"))).ok());
  palace.reopen();
  palace.execute("DROP TABLE source_states; DROP TABLE erased_keys; DROP TABLE segments; PRAGMA user_version = 2");
  ASSERT_TRUE(palace.drawers()->erase({.ids = {{"a"}}}).ok());
  EXPECT_EQ(palace.query("PRAGMA user_version"), kSchemaVersion);
  EXPECT_EQ(palace.query("SELECT count(*) FROM erased_keys"), 1);
  EXPECT_EQ(palace.query("SELECT count(*) FROM source_states"), 0);
}

TEST(SchemaTest, APalaceOfTheThirdVersionGetsTheTableOfSegments) {
  TestPalace palace;
  ASSERT_TRUE(palace.drawers()->add(batch(record("a", "text", {}, Embedding{1, 2}))).ok());
  palace.reopen();
  palace.execute("DROP TABLE segments; PRAGMA user_version = 3");
  const auto drawers = palace.drawers();
  EXPECT_EQ(palace.query("PRAGMA user_version"), kSchemaVersion);
  EXPECT_EQ(palace.query("SELECT count(*) FROM segments"), 0);
  const auto result = drawers->query({.embeddings = {{1, 2}}});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->hits[0].size(), 1U);
}

// Two steps of a format that was never shipped, to try the way itself.
Status add_column(Connection& connection) {
  return connection.execute("ALTER TABLE collections ADD COLUMN colour TEXT");
}
Status fill_column(Connection& connection) { return connection.execute("UPDATE collections SET colour = 'red'"); }
constexpr Migration kSteps[] = {{kSchemaVersion, add_column}, {kSchemaVersion + 1, fill_column}};

Status migrate_if_needed(Connection& connection) {
  Transaction transaction = TRY(Transaction::begin(connection, Transaction::Kind::write));
  TRY(migrate_schema(connection, kSteps, kSchemaVersion + 2));
  return transaction.commit();
}

class MigratingProcessesTest : public testing::TestWithParam<int> {};

TEST_P(MigratingProcessesTest, ThatStartAtOnceDoItOnce) {
  TestPalace palace;
  ASSERT_NE(palace.drawers(), nullptr);
  palace.reopen();
  std::vector<pid_t> children;
  for (int i = 0; i < GetParam(); ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      WriterQueue queue(palace.folder() / "writers.lock", std::chrono::seconds(20));
      const auto connection = palace.connect();
      queue.attach(connection->handle());
      ::_exit(migrate_if_needed(*connection).ok() ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(palace.query("PRAGMA user_version"), kSchemaVersion + 2);
  EXPECT_EQ(palace.query("SELECT count(*) FROM migrations WHERE what = 'schema'"), 2);
}

INSTANTIATE_TEST_SUITE_P(Count, MigratingProcessesTest, testing::Values(2, 4, 8));

TEST(SchemaTest, AMigrationThatFailsHalfWayLeavesTheOldVersion) {
  TestPalace palace;
  ASSERT_NE(palace.drawers(), nullptr);
  palace.reopen();
  static constexpr Migration kBroken[] = {{kSchemaVersion, add_column}, {kSchemaVersion + 1, [](Connection&) -> Status {
                                                                           return Error{ErrorKind::io, "no"};
                                                                         }}};
  {
    const auto connection = palace.connect();
    const Result<Transaction> transaction = Transaction::begin(*connection, Transaction::Kind::write);
    ASSERT_TRUE(transaction.ok());
    ASSERT_FALSE(migrate_schema(*connection, kBroken, kSchemaVersion + 2).ok());
  }
  EXPECT_EQ(palace.query("PRAGMA user_version"), kSchemaVersion);
  EXPECT_EQ(palace.query("SELECT count(*) FROM pragma_table_info('collections') WHERE name = 'colour'"), 0);
}

}  // namespace
}  // namespace loci::embedded
