#include "base/file_lock.h"

#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/temporary_folder.h"

namespace loci {
namespace {

class LockFileTest : public testing::Test {
 protected:
  LockFile open() {
    Result<LockFile> file = LockFile::open(folder_.path() / "lock");
    if (!file.ok()) throw std::runtime_error(file.error().message);
    return *std::move(file);
  }

  TemporaryFolder folder_;
};

TEST_F(LockFileTest, ALockedByteIsRefusedToAnotherOpenFile) {
  LockFile first = open();
  LockFile second = open();
  EXPECT_TRUE(first.try_lock(3));
  EXPECT_FALSE(second.try_lock(3));
  EXPECT_TRUE(second.try_lock(4));
}

TEST_F(LockFileTest, AnUnlockedByteIsFreeAgain) {
  LockFile first = open();
  LockFile second = open();
  ASSERT_TRUE(first.try_lock(3));
  first.unlock(3);
  EXPECT_TRUE(second.try_lock(3));
}

TEST_F(LockFileTest, ARangeExcludesEachOfItsBytes) {
  LockFile first = open();
  LockFile second = open();
  ASSERT_TRUE(first.try_lock(10, 5));
  EXPECT_TRUE(second.try_lock(9));
  EXPECT_FALSE(second.try_lock(10));
  EXPECT_FALSE(second.try_lock(14));
  EXPECT_TRUE(second.try_lock(15));
}

TEST_F(LockFileTest, ClosingOneFileLeavesTheLocksOfTheOther) {
  LockFile first = open();
  ASSERT_TRUE(first.try_lock(0));
  { const LockFile closed = open(); }
  LockFile second = open();
  EXPECT_FALSE(second.try_lock(0));
}

TEST_F(LockFileTest, LocksEndWithTheObject) {
  {
    LockFile first = open();
    ASSERT_TRUE(first.try_lock(0));
  }
  LockFile second = open();
  EXPECT_TRUE(second.try_lock(0));
}

TEST_F(LockFileTest, LocksEndWithAProcessThatIsKilled) {
  const pid_t child = ::fork();
  if (child == 0) {
    LockFile file = open();
    if (!file.try_lock(0)) ::_exit(1);
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);  // it died holding the lock, as told
  LockFile file = open();
  EXPECT_TRUE(file.try_lock(0));
}

TEST_F(LockFileTest, FirstLockedIsTheLowestByteOfOthers) {
  LockFile first = open();
  LockFile second = open();
  LockFile asking = open();
  EXPECT_EQ(asking.first_locked(0), std::nullopt);
  ASSERT_TRUE(first.try_lock(100));
  ASSERT_TRUE(second.try_lock(7));
  ASSERT_TRUE(first.try_lock(50));
  EXPECT_EQ(asking.first_locked(0), 7);
  EXPECT_EQ(asking.first_locked(7), 7);
  EXPECT_EQ(asking.first_locked(8), 50);
  EXPECT_EQ(asking.first_locked(51), 100);
  EXPECT_EQ(asking.first_locked(101), std::nullopt);
}

TEST_F(LockFileTest, FirstLockedDoesNotSeeItsOwnLocks) {
  LockFile file = open();
  ASSERT_TRUE(file.try_lock(5));
  EXPECT_EQ(file.first_locked(0), std::nullopt);
}

TEST_F(LockFileTest, FirstLockedInsideALockedRangeIsWhereItWasAsked) {
  LockFile first = open();
  LockFile asking = open();
  ASSERT_TRUE(first.try_lock(10, 10));
  EXPECT_EQ(asking.first_locked(15), 15);
}

TEST_F(LockFileTest, LookingSeesLocksAndTakesNone) {
  EXPECT_EQ(LockFile::open_to_look(folder_.path() / "absent").error().kind, ErrorKind::not_found);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "absent"));
  LockFile holder = open();
  ASSERT_TRUE(holder.try_lock(3));
  LockFile looking = LockFile::open_to_look(folder_.path() / "lock").value();
  EXPECT_EQ(looking.first_locked(0), 3);
  EXPECT_FALSE(looking.try_lock(9));
}

TEST_F(LockFileTest, AMissingFolderIsAnErrorThatNamesTheFile) {
  const Result<LockFile> file = LockFile::open(folder_.path() / "missing/lock");
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().kind, ErrorKind::not_found);
  EXPECT_NE(file.error().message.find("missing/lock"), std::string::npos);
}

}  // namespace
}  // namespace loci
