#include "ingest/mined_folder.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/temporary_folder.h"

namespace loci {
namespace {

namespace fs = std::filesystem;

class MinedFoldersTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(root_ / "docs/deep"); }

  fs::path project_of(const fs::path& path, bool is_apart = true) const {
    return folders_.find_project_root(path, [&](const fs::path&) -> Result<bool> { return is_apart; }).value();
  }

  const TemporaryFolder folder_;
  const fs::path root_ = folder_.path() / "project";
  MinedFolders folders_;
};

TEST_F(MinedFoldersTest, TheNearestRootAboveIsTheProjects) {
  EXPECT_EQ(project_of(root_ / "docs/deep"), root_ / "docs/deep");
  fs::create_directory(root_ / ".git");
  EXPECT_EQ(project_of(root_ / "docs/deep"), root_);
  ASSERT_TRUE(write_file_atomically(root_ / "docs/loci.yaml", "wing: w\n").ok());
  EXPECT_EQ(project_of(root_ / "docs/deep"), root_ / "docs");
}

TEST_F(MinedFoldersTest, WhatWasMinedIsAProject) {
  folders_.note({.path = root_.string()});
  EXPECT_EQ(project_of(root_ / "docs/deep"), root_);
  folders_.note({.path = (root_ / "docs").string(), .as = MinedAs::part});
  EXPECT_EQ(project_of(root_ / "docs/deep"), root_) << "a part is none";
  fs::create_directory(root_ / "docs/.git");
  EXPECT_EQ(project_of(root_ / "docs/deep"), root_ / "docs");
  EXPECT_EQ(project_of(root_ / "docs/deep", false), root_);
}

TEST_F(MinedFoldersTest, TheNearestOneHoldsAndWhatIsSaidAboveHoldsBelow) {
  folders_.note({.path = "/a", .settings = {.wing = "x", .chunk_characters = 500}});
  folders_.note({.path = "/a/b", .as = MinedAs::part, .settings = {.wing = "y"}});
  folders_.note({.path = "/a-b"});
  EXPECT_EQ(folders_.nearest("/a/b/c.md")->path, "/a/b");
  EXPECT_EQ(folders_.nearest("/a/c.md")->path, "/a");
  EXPECT_EQ(folders_.nearest("/c"), nullptr);
  ASSERT_EQ(folders_.below("/a").size(), 1U);
  folders_.note({.path = "/a/c"});
  folders_.say("/a", {.mode = "files"});
  EXPECT_EQ(folders_.nearest("/a/c")->as, MinedAs::project);
  folders_.say("/a", {.wing = "z"});
  EXPECT_EQ(folders_.nearest("/a/c")->as, MinedAs::part);
  EXPECT_EQ(folders_.nearest("/a/b")->settings, (MineSettings{.wing = "z", .mode = "files"}));
  EXPECT_EQ(folders_.nearest("/a")->settings, (MineSettings{.wing = "z", .mode = "files", .chunk_characters = 500}));
  EXPECT_EQ(folders_.nearest("/a-b")->settings, MineSettings{});
}

}  // namespace
}  // namespace loci
