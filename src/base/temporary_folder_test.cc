#include "base/temporary_folder.h"

#include <filesystem>
#include <utility>

#include <gtest/gtest.h>

#include "base/file.h"

namespace loci {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolderTest, IsPrivate) {
  const TemporaryFolder folder;
  EXPECT_EQ(fs::status(folder.path()).permissions(), fs::perms::owner_all);
}

TEST(TemporaryFolderTest, IsGoneWithAllItHolds) {
  fs::path path;
  {
    const TemporaryFolder folder;
    path = folder.path();
    ASSERT_TRUE(make_private_folder(path / "a/b").ok());
    ASSERT_TRUE(write_file_atomically(path / "a/b/file", "text").ok());
    fs::permissions(path / "a/b", fs::perms::owner_read | fs::perms::owner_exec);
    ASSERT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolderTest, RemovesALinkButNotWhatItNames) {
  const TemporaryFolder kept;
  {
    const TemporaryFolder folder;
    fs::create_directory_symlink(kept.path(), folder.path() / "link");
  }
  EXPECT_TRUE(fs::exists(kept.path()));
}

TEST(TemporaryFolderTest, LivesOnInTheObjectItWasMovedTo) {
  TemporaryFolder first;
  const fs::path path = first.path();
  {
    const TemporaryFolder second = std::move(first);
    EXPECT_EQ(second.path(), path);
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolderTest, AnotherParentCanBeNamed) {
  const TemporaryFolder parent;
  const Result<TemporaryFolder> folder = TemporaryFolder::create_in(parent.path());
  ASSERT_TRUE(folder.ok());
  EXPECT_EQ(folder->path().parent_path(), parent.path());
}

TEST(TemporaryFolderTest, AMissingParentIsAnErrorThatNamesIt) {
  const TemporaryFolder parent;
  const Result<TemporaryFolder> folder = TemporaryFolder::create_in(parent.path() / "missing");
  ASSERT_FALSE(folder.ok());
  EXPECT_NE(folder.error().message.find("missing"), std::string::npos);
}

}  // namespace
}  // namespace loci
