// Drawers of files that are gone: removed when asked, and never because a disk is away.
#include <filesystem>

#include "tests/ingest/fixture.h"

namespace loci::mining {
namespace {

namespace fs = std::filesystem;

class SyncTest : public MiningTest {
 protected:
  void SetUp() override {
    MiningTest::SetUp();
    write("a.md", "one");
    write("b.md", "two");
    write("c.md", "three");
    mine_project();
  }
};

TEST_F(SyncTest, MiningRemovesNothingAndSaysWhatIsGone) {
  fs::remove(path_of("a.md"));
  EXPECT_EQ(mine_project().gone, std::vector{path_of("a.md")});
  EXPECT_EQ(all().size(), 3U);
}

TEST_F(SyncTest, RemovesWhatIsGoneOrLeftOutOnlyWhenApplied) {
  fs::remove(path_of("a.md"));
  write(".gitignore", "b.md\n.gitignore\n");
  const SyncReport seen = sync({});
  EXPECT_EQ(seen.gone, std::vector{path_of("a.md")});
  EXPECT_EQ(seen.left_out, std::vector{path_of("b.md")});
  EXPECT_EQ(seen.kept, 1U);
  EXPECT_EQ(all().size(), 3U);
  EXPECT_EQ(sync({.run = SyncRun::apply}).removed_drawers, 2U);
  EXPECT_EQ(all().size(), 1U);
  EXPECT_EQ(drawers().sources("/")->size(), 1U);
}

TEST_F(SyncTest, AMissingOrEmptyRootIsAQuestion) {
  for (const char* name : {"a.md", "b.md", "c.md"}) fs::remove(path_of(name));
  const SyncReport empty = sync({.run = SyncRun::apply});
  EXPECT_TRUE(empty.root_is_missing);
  fs::remove(project());
  EXPECT_TRUE(sync({.run = SyncRun::apply}).root_is_missing);
  EXPECT_EQ(all().size(), 3U);
  EXPECT_EQ(sync({.run = SyncRun::apply, .missing_root = MissingRoot::accept}).removed_drawers, 3U);
  EXPECT_TRUE(all().empty());
}

TEST_F(SyncTest, OneFileThatIsGoneFromAFolderInUseIsNone) {
  fs::remove(path_of("a.md"));
  EXPECT_EQ(sync({.path = path_of("a.md"), .run = SyncRun::apply}).removed_drawers, 1U);
  for (const char* name : {"b.md", "c.md"}) fs::remove(path_of(name));
  const SyncReport asks = sync({.path = path_of("b.md"), .run = SyncRun::apply});
  ASSERT_EQ(asks.missing_folders.size(), 1U);
  EXPECT_EQ(asks.missing_folders[0].path, project().string());
  EXPECT_EQ(all().size(), 2U);
}

TEST_F(SyncTest, AMissingOrEmptyFolderBelowTheRootIsAQuestion) {
  for (const char* name : {"share/d.md", "share/deep/e.md", "old/f.md"}) write(name, name);
  mine_project();
  fs::remove_all(project() / "old");
  fs::remove_all(project() / "share");
  fs::create_directory(project() / "share");
  fs::remove(path_of("a.md"));
  const SyncReport asks = sync({.run = SyncRun::apply});
  EXPECT_EQ(asks.removed_drawers, 1U) << "a.md, whose folder has other files";
  ASSERT_EQ(asks.missing_folders.size(), 2U);
  EXPECT_EQ(asks.missing_folders[0].path, path_of("old"));
  EXPECT_EQ(asks.missing_folders[1].path, path_of("share"));
  EXPECT_EQ(asks.missing_folders[1].sources, 2U);
  EXPECT_FALSE(asks.root_is_missing);
  EXPECT_EQ(sync({.path = project() / "old", .run = SyncRun::apply, .missing_root = MissingRoot::accept}).gone.size(),
            1U);
  EXPECT_EQ(sync({.run = SyncRun::apply, .missing_root = MissingRoot::accept}).removed_drawers, 2U);
  EXPECT_EQ(all().size(), 2U);
}

TEST_F(SyncTest, OnlyTheScopeIsTouched) {
  write("sub/d.md", "four");
  mine_project();
  fs::remove(path_of("a.md"));
  fs::remove(path_of("sub/d.md"));
  write("sub/e.md", "five");
  EXPECT_EQ(sync({.path = project() / "sub", .run = SyncRun::apply}).removed_drawers, 1U);
  EXPECT_EQ(all().size(), 3U);
}

}  // namespace
}  // namespace loci::mining
