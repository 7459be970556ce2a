#include "store/chroma/folder_palace.h"

#include <fstream>
#include <iterator>
#include <map>

#include <gtest/gtest.h>

#include "store/chroma/coverage.h"
#include "store/chroma/made_folder.h"

namespace loci::chroma {
namespace {

std::unique_ptr<Connection> opened(const std::filesystem::path& folder) {
  auto connection = Connection::open(folder / kDatabaseName, sqlite::OpenMode::read_write);
  if (!connection.ok()) throw std::runtime_error(connection.error().message);
  return *std::move(connection);
}

std::map<std::string, std::string> files_of(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(entry.path(), std::ios::binary);
    files[entry.path().filename()] = std::string(std::istreambuf_iterator<char>(in), {});
  }
  return files;
}

Result<std::int64_t> count_rows(FolderPalace& palace) {
  return palace.read([](Connection& connection, const SchemaVersions&) {
    return connection.query_integer("SELECT count(*) FROM embeddings_queue");
  });
}

constexpr std::int64_t kRows = 2'000;

void fill_queue(const MadeFolder& folder) {
  folder.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " + std::to_string(kRows) +
                 ") INSERT INTO embeddings_queue(seq_id, operation, topic, id, metadata) SELECT i, 3, '" +
                 folder.row().topic + "', 'id' || i, printf('%.200c', 'x') FROM n");
  folder.set_frontiers(std::to_string(kRows));
}

// What a writer leaves behind that is killed after its cache has spilled: half of its changes are in the file, and the
// journal that takes them back is beside it.
TEST(FolderPalaceTest, AHotJournalIsRolledBackInACopyAndTheFolderStaysAsItIs) {
  const MadeFolder folder;
  fill_queue(folder);
  const TemporaryFolder killed;
  {
    const std::unique_ptr<Connection> writer = opened(folder.path());
    ASSERT_TRUE(writer->execute("PRAGMA cache_size = 2; BEGIN IMMEDIATE; DELETE FROM embeddings_queue").ok());
    std::filesystem::copy(folder.path(), killed.path());
  }
  const auto before = files_of(killed.path());
  ASSERT_GT(before.at("chroma.sqlite3-journal").size(), 512U);
  const auto as_it_is = Connection::open(killed.path() / kDatabaseName, sqlite::OpenMode::read_only);
  ASSERT_FALSE((*as_it_is)->query_integer("SELECT count(*) FROM embeddings_queue").ok()) << "the journal is not hot";
  ASSERT_TRUE((*as_it_is)->needs_rollback());

  FolderPalace palace(killed.path(), Access::read_only, FolderOptions());
  const auto rows = count_rows(palace);
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  EXPECT_EQ(*rows, kRows);
  const auto report = examine_folder(palace, VerifyDepth::deep);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->findings.empty()) << report->findings.front().detail;
  EXPECT_EQ(files_of(killed.path()), before);
}

TEST(FolderPalaceTest, ADatabaseThatIsToHaveALogIsReadWithoutMakingOne) {
  const MadeFolder folder;
  fill_queue(folder);
  folder.execute("PRAGMA journal_mode = WAL");
  const auto before = files_of(folder.path());
  ASSERT_EQ(before.size(), 1U) << "closed cleanly, it leaves no log";
  ASSERT_EQ(before.at("chroma.sqlite3")[18], 2);
  const auto palace = folder.palace();
  const auto rows = count_rows(*palace);
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  EXPECT_EQ(*rows, kRows);
  EXPECT_EQ(files_of(folder.path()), before);
}

}  // namespace
}  // namespace loci::chroma
