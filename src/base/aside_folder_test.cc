#include "base/aside_folder.h"

#include <csignal>
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

namespace loci {
namespace {

namespace fs = std::filesystem;

std::ptrdiff_t entries_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

TEST(AsideFolderTest, IsPrivateAndGoneAfterwards) {
  const TemporaryFolder parent;
  {
    const Result<AsideFolder> aside = AsideFolder::create_in(parent.path());
    ASSERT_TRUE(aside.ok());
    EXPECT_EQ(fs::status(aside->path()).permissions(), fs::perms::owner_all);
    ASSERT_TRUE(write_file_atomically(aside->path() / "work", "half").ok());
  }
  EXPECT_EQ(entries_in(parent.path()), 0);
}

TEST(AsideFolderTest, ALiveOneIsLeftAlone) {
  const TemporaryFolder parent;
  const Result<AsideFolder> first = AsideFolder::create_in(parent.path());
  const Result<AsideFolder> second = AsideFolder::create_in(parent.path());
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(entries_in(parent.path()), 2);
}

TEST(AsideFolderTest, WhatAKilledProcessLeftIsRemovedByTheNext) {
  const TemporaryFolder parent;
  const pid_t child = ::fork();
  if (child == 0) {
    const Result<AsideFolder> aside = AsideFolder::create_in(parent.path());
    if (aside.ok()) ::kill(::getpid(), SIGKILL);
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_EQ(entries_in(parent.path()), 1);
  { ASSERT_TRUE(AsideFolder::create_in(parent.path()).ok()); }
  EXPECT_EQ(entries_in(parent.path()), 0);
}

TEST(AsideFolderTest, OtherFoldersStay) {
  const TemporaryFolder parent;
  fs::create_directory(parent.path() / "notes");
  fs::create_directory(parent.path() / ".loci-aside-of-mine");
  ASSERT_TRUE(write_file_atomically(parent.path() / ".loci-aside-of-mine" / "file", "text").ok());
  { ASSERT_TRUE(AsideFolder::create_in(parent.path()).ok()); }
  EXPECT_EQ(entries_in(parent.path()), 2);
}

TEST(AsideFolderTest, AParentThatIsMissingIsAnError) {
  const TemporaryFolder parent;
  EXPECT_EQ(AsideFolder::create_in(parent.path() / "none").error().kind, ErrorKind::not_found);
}

}  // namespace
}  // namespace loci
