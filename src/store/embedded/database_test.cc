#include "store/embedded/database.h"

#include <set>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "store/embedded/test_palace.h"

namespace loci::embedded {
namespace {

std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

std::filesystem::perms mode_of(const std::filesystem::path& path) {
  return std::filesystem::status(path).permissions();
}

TEST(DatabaseTest, FoldersAndFilesArePrivate) {
  TestPalace palace;
  ASSERT_TRUE(palace.drawers()->add(batch(record("a", "text"))).ok());
  EXPECT_EQ(mode_of(palace.folder()), std::filesystem::perms(0700));
  for (const std::string& name : names_in(palace.folder())) {
    EXPECT_EQ(mode_of(palace.folder() / name), std::filesystem::perms(0600)) << name;
  }
  EXPECT_TRUE(names_in(palace.folder()).contains("palace.db-wal"));
}

TEST(DatabaseTest, ASyncedLogIsWhatACommitWaitsFor) {
  TestPalace palace;
  ASSERT_NE(palace.drawers(), nullptr);
  const auto database = Database::open(palace.folder(), Access::read_write, IfMissing::fail);
  ASSERT_TRUE(database.ok());
  const auto synchronous =
      (*database)->read([](Connection& connection) { return connection.query_integer("PRAGMA synchronous"); });
  EXPECT_EQ(*synchronous, 3) << "EXTRA, which is FULL and more";
  const auto mode =
      (*database)->read([](Connection& connection) { return connection.query_text("PRAGMA journal_mode"); });
  EXPECT_EQ(*mode, "wal");
}

TEST(DatabaseTest, AMissingPalaceIsNotCreatedByLooking) {
  TestPalace palace;
  for (const Access access : {Access::read_write, Access::read_only}) {
    const auto missing = Database::open(palace.folder(), access, IfMissing::fail);
    ASSERT_FALSE(missing.ok());
    EXPECT_EQ(missing.error().kind, ErrorKind::palace_not_found);
  }
  EXPECT_FALSE(std::filesystem::exists(palace.folder()));
}

TEST(DatabaseTest, WhatIsNotAPalaceIsRefusedAndStaysAsItIs) {
  TestPalace palace;
  std::filesystem::create_directories(palace.folder());
  const std::string random(5000, '\x5a');
  const std::string cut = std::string("SQLite format 3\0", 16) + "short";
  for (const std::string& content : {random, cut}) {
    ASSERT_TRUE(write_file_atomically(palace.file(), content).ok());
    for (const Access access : {Access::read_write, Access::read_only}) {
      const auto refused = Database::open(palace.folder(), access, IfMissing::create);
      ASSERT_FALSE(refused.ok());
      EXPECT_EQ(refused.error().kind, ErrorKind::corruption);
    }
    EXPECT_EQ(*read_file(palace.file()), content);
    EXPECT_EQ(names_in(palace.folder()), (std::set<std::string>{"palace.db"}));
  }
}

TEST(DatabaseTest, ATruncatedPalaceIsCorruptionAndNotACrash) {
  TestPalace palace;
  std::vector<Record> many;
  for (int i = 0; i < 200; ++i) many.push_back(record(std::to_string(i), std::string(500, 'x')));
  ASSERT_TRUE(palace.drawers()->add(many).ok());
  palace.reopen();
  std::filesystem::resize_file(palace.file(), std::filesystem::file_size(palace.file()) / 2);
  const auto opened = palace.backend().collection(palace.ref(), "drawers", {});
  if (opened.ok()) {
    const auto records = (*opened)->get({});
    ASSERT_FALSE(records.ok());
    EXPECT_EQ(records.error().kind, ErrorKind::corruption);
  } else {
    EXPECT_EQ(opened.error().kind, ErrorKind::corruption);
  }
}

TEST(DatabaseTest, APathThatIsAFileOrALoopIsAClearError) {
  TestPalace palace;
  ASSERT_TRUE(write_file_atomically(palace.folder(), "a file").ok());
  const auto file = Database::open(palace.folder(), Access::read_write, IfMissing::create);
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(*read_file(palace.folder()), "a file");

  const TemporaryFolder folder;
  std::filesystem::create_symlink(folder.path() / "b", folder.path() / "a");
  std::filesystem::create_symlink(folder.path() / "a", folder.path() / "b");
  const auto loop = Database::open(folder.path() / "a", Access::read_write, IfMissing::create);
  ASSERT_FALSE(loop.ok());
  EXPECT_EQ(loop.error().kind, ErrorKind::io);
}

TEST(DatabaseTest, ADatabaseThatIsALinkIsRefusedAsSuch) {
  TestPalace palace;
  ASSERT_TRUE(palace.drawers()->add(batch(record("a", "text"))).ok());
  palace.reopen();
  const TemporaryFolder linked;
  const TemporaryFolder leads_nowhere;
  std::filesystem::create_symlink(palace.folder() / kDatabaseName, linked.path() / kDatabaseName);
  std::filesystem::create_symlink("nothing", leads_nowhere.path() / kDatabaseName);
  for (const std::filesystem::path& folder : {linked.path(), leads_nowhere.path()}) {
    const auto opened = Database::open(folder, Access::read_write, IfMissing::create);
    ASSERT_FALSE(opened.ok());
    EXPECT_NE(opened.error().message.find("symbolic link"), std::string::npos) << opened.error().message;
  }
}

TEST(DatabaseTest, ReadingOnlyCreatesNoFileWithAndWithoutALog) {
  TestPalace palace;
  ASSERT_TRUE(palace.drawers()->add(batch(record("a", "checkpointed"))).ok());
  palace.reopen();  // the last connection moves the log into the file
  ASSERT_EQ(names_in(palace.folder()), (std::set<std::string>{"palace.db"}));
  const auto quiet = palace.backend().collection(palace.ref(), "drawers", {.access = Access::read_only});
  ASSERT_TRUE(quiet.ok());
  EXPECT_EQ(*(*quiet)->count(), 1U);
  EXPECT_EQ(names_in(palace.folder()), (std::set<std::string>{"palace.db"}));

  const auto writer = make_embedded_backend();
  const auto live = writer->collection(palace.ref(), "drawers", {});
  ASSERT_TRUE((*live)->add(batch(record("b", "in the log"))).ok());
  const std::string log = palace.file().string() + "-wal";
  const std::string before = *read_file(log);
  ASSERT_FALSE(before.empty());
  EXPECT_EQ(*(*quiet)->count(), 2U) << "the view follows the palace";
  EXPECT_EQ(*read_file(log), before);
  EXPECT_EQ(names_in(palace.folder()), (std::set<std::string>{"palace.db", "palace.db-shm", "palace.db-wal"}));
}

TEST(DatabaseTest, AReadOnlyViewRefusesToWrite) {
  TestPalace palace;
  ASSERT_TRUE(palace.drawers()->add(batch(record("a", "text"))).ok());
  const auto view = palace.backend().collection(palace.ref(), "drawers", {.access = Access::read_only});
  ASSERT_TRUE(view.ok());
  EXPECT_EQ((*view)->upsert(batch(record("b", "text"))).error().kind, ErrorKind::io);
  EXPECT_EQ((*view)->erase({.ids = {{"a"}}}).error().kind, ErrorKind::io);
}

TEST(DatabaseTest, AFolderThatCannotBeWrittenIsReadAllTheSame) {
  if (::geteuid() == 0) {
    // Root writes everywhere, so a child gives its rights up.
    TestPalace palace;
    ASSERT_TRUE(palace.drawers()->add(batch(record("a", "text"))).ok());
    palace.reopen();
    std::filesystem::permissions(palace.folder().parent_path(), std::filesystem::perms(0755));
    std::filesystem::permissions(palace.folder(), std::filesystem::perms(0555));
    std::filesystem::permissions(palace.file(), std::filesystem::perms(0444));
    const pid_t child = ::fork();
    if (child == 0) {
      if (::setuid(65534) != 0) ::_exit(2);
      const auto backend = make_embedded_backend();
      const auto opened = backend->collection(palace.ref(), "drawers", {});
      if (!opened.ok()) ::_exit(3);
      if (*(*opened)->count() != 1) ::_exit(4);
      const auto refused = (*opened)->add(batch(record("b", "text")));
      ::_exit(!refused.ok() && refused.error().kind == ErrorKind::io ? 0 : 5);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_EQ(names_in(palace.folder()), (std::set<std::string>{"palace.db"}));
  } else {
    GTEST_SKIP() << "needs root to give its rights up";
  }
}

// B9: a handle serves the palace that is there now.
TEST(DatabaseTest, AHandleNoticesThatItsPalaceWasReplacedOrRemoved) {
  TestPalace palace;
  const auto drawers = palace.drawers();
  ASSERT_TRUE(drawers->add(batch(record("old", "text"))).ok());

  TestPalace other;
  ASSERT_TRUE(other.drawers()->add(batch(record("new", "text"))).ok());
  other.reopen();
  std::filesystem::remove_all(palace.folder());
  EXPECT_EQ(drawers->count().error().kind, ErrorKind::palace_not_found);
  EXPECT_EQ(drawers->add(batch(record("lost", "text"))).error().kind, ErrorKind::palace_not_found);
  EXPECT_FALSE(std::filesystem::exists(palace.folder()));

  std::filesystem::copy(other.folder(), palace.folder(), std::filesystem::copy_options::recursive);
  const auto records = drawers->get({});
  ASSERT_TRUE(records.ok());
  ASSERT_EQ(records->size(), 1U);
  EXPECT_EQ(records->front().id, "new");

  std::filesystem::rename(palace.folder(), palace.folder().string() + ".aside");
  ASSERT_TRUE(make_embedded_backend()->collection(palace.ref(), "drawers", {.if_missing = IfMissing::create}).ok());
  EXPECT_EQ(*drawers->count(), 0U);
}

TEST(DatabaseTest, ACollectionThatWasDeletedAndMadeAgainIsSeenAsItIsNow) {
  TestPalace palace;
  const auto drawers = palace.drawers();
  ASSERT_TRUE(drawers->add(batch(record("old", "text", {}, Embedding{1, 0}))).ok());
  const auto other_process = make_embedded_backend();
  ASSERT_TRUE(other_process->delete_collection(palace.ref(), "drawers").ok());
  EXPECT_EQ(drawers->count().error().kind, ErrorKind::collection_not_initialized);
  ASSERT_TRUE(other_process->create_collection(palace.ref(), "drawers", {}).ok());
  EXPECT_EQ(*drawers->count(), 0U);
  EXPECT_TRUE(drawers->add(batch(record("new", "text", {}, Embedding{1, 0, 0}))).ok()) << "the dimension is free again";
}

// Closing any descriptor of a file drops the process's locks on it, so the header check must not open it by itself.
TEST(DatabaseTest, OpeningAgainInTheSameProcessKeepsTheLocks) {
  TestPalace palace;
  ASSERT_NE(palace.drawers(), nullptr);
  const auto holder = Database::open(palace.folder(), Access::read_write, IfMissing::fail);
  const Status held = (*holder)->write([&](Connection& connection) -> Status {
    TRY(connection.execute("INSERT INTO palace(key, value) VALUES ('held', 1)"));
    for (const Access access : {Access::read_write, Access::read_only}) {
      TRY(Database::open(palace.folder(), access, IfMissing::fail));
    }
    const pid_t child = ::fork();
    if (child == 0) {
      const auto connection_of_child = open_connection(palace.file(), OpenMode::read_write);
      const bool blocked = !(*connection_of_child)->execute("PRAGMA busy_timeout = 0; BEGIN IMMEDIATE").ok();
      ::_exit(blocked ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? Status()
                                                         : Error{ErrorKind::internal, "the write lock was lost"};
  });
  EXPECT_TRUE(held.ok()) << held.error().message;
}

}  // namespace
}  // namespace loci::embedded
