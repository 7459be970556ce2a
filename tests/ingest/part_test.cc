// Mining a part of what was mined, or with other settings once: what has its place keeps it until somebody says
// otherwise.
#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include "tests/ingest/fixture.h"

namespace loci::mining {
namespace {

namespace fs = std::filesystem;

class PartTest : public MiningTest {
 protected:
  void SetUp() override {
    MiningTest::SetUp();
    write("a.md", paragraphs(4, "lakes"));
    write("sub/b.md", paragraphs(4, "rivers"));
    write("sub/deep/c.md", paragraphs(4, "seas"));
    // Written in this very moment, files are looked at once more.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }

  MineReport mine_part(std::string_view name, MineSettings settings = {}) {
    return mine_project({.path = project() / name, .settings = std::move(settings)});
  }

  std::string wing_of(std::string_view name) const { return text_at(name, "wing"); }
  std::string room_of(std::string_view name) const { return text_at(name, "room"); }

  static void expect_nothing_to_do(const MineReport& report) {
    EXPECT_EQ(report.bytes + report.added + report.changed + report.drawers.moved + report.drawers.removed, 0U);
  }

 private:
  std::string text_at(std::string_view name, const char* key) const {
    const std::vector<Record> records = of_source(name);
    return records.empty() ? "" : std::get<std::string>(records.front().metadata.at(key));
  }
};

TEST_F(PartTest, APartStaysWhereTheWholeIs) {
  mine_project();
  const std::string room = room_of("sub/b.md");
  for (const char* part : {"sub", "sub/b.md", "sub/deep"}) {
    const MineReport report = mine_part(part);
    EXPECT_EQ(report.drawers.moved, 0U);
    EXPECT_EQ(report.unchanged, report.files);
    EXPECT_EQ(report.wing, "project");
    EXPECT_EQ(report.project_root, project());
  }
  write("sub/new.md", "new");
  mine_part("sub/new.md");
  EXPECT_EQ(wing_of("sub/new.md"), "project");
  EXPECT_EQ(room_of("sub/new.md"), room);
  EXPECT_EQ(wing_of("sub/b.md"), "project");
}

TEST_F(PartTest, WhatWasSaidOfTheWholeHoldsForTheNextRunAndForParts) {
  mine_project({.settings = {.wing = "given", .chunk_characters = 300}});
  expect_nothing_to_do(mine_project());
  expect_nothing_to_do(mine_part("sub"));
  write("sub/new.md", paragraphs(4, "hills"));
  mine_part("sub");
  EXPECT_EQ(wing_of("sub/new.md"), "given");
  EXPECT_EQ(of_source("sub/new.md").size(), of_source("sub/b.md").size());
}

TEST_F(PartTest, WhatWasSaidOfAPartIsKeptByTheWholeWhichSaysSo) {
  mine_project();
  const std::size_t drawers = of_source("sub/b.md").size();
  mine_part("sub", {.wing = "other"});
  mine_part("a.md", {.chunk_characters = 200});
  EXPECT_EQ(wing_of("sub/deep/c.md"), "other");
  const MineReport report = mine_project();
  expect_nothing_to_do(report);
  EXPECT_EQ(report.files, 3U);
  ASSERT_EQ(report.kept_parts.size(), 2U);
  EXPECT_EQ(report.kept_parts[0].path, path_of("a.md"));
  EXPECT_EQ(report.kept_parts[0].chunk_characters, 200U);
  EXPECT_EQ(report.kept_parts[1].wing, "other");
  expect_nothing_to_do(mine_part("sub/deep"));
  EXPECT_EQ(of_source("sub/b.md").size(), drawers);
  EXPECT_GT(of_source("a.md").size(), drawers);
}

TEST_F(PartTest, OneFileMakesNoProjectOfAllThatIsBesideIt) {
  mine_part("a.md");
  EXPECT_EQ(wing_of("a.md"), "project");
  EXPECT_EQ(mine_part("sub").wing, "sub");
  mine_part("a.md", {.wing = "given"});
  EXPECT_EQ(mine_part("a.md").wing, "given");
  mine_project();
  EXPECT_EQ(wing_of("a.md"), "given");
}

TEST_F(PartTest, AFolderThatIsGivenAWingHasRoomsOfItsOwnAndItsDrawersStayAsTheyAreCut) {
  mine_project({.settings = {.chunk_characters = 300}});
  const auto before = all();
  EXPECT_EQ(mine_part("sub", {.wing = "other"}).project_root, project() / "sub");
  EXPECT_EQ(room_of("sub/deep/c.md"), "deep");
  EXPECT_EQ(all(), before);
  write("sub/loci.yaml", "rooms: [all]\n");
  EXPECT_EQ(mine_part("sub/deep", {.wing = "third"}).project_root, project() / "sub");
}

TEST_F(PartTest, WhatIsSaidOfTheWholeHoldsForItsParts) {
  mine_project();
  const std::string room = room_of("sub/deep/c.md");
  mine_part("sub", {.wing = "other", .chunk_characters = 200});
  EXPECT_EQ(mine_project({.settings = {.wing = "all"}}).kept_parts.size(), 1U) << "it is still cut smaller";
  EXPECT_EQ(wing_of("sub/b.md"), "all");
  EXPECT_EQ(wing_of("a.md"), "all");
  EXPECT_EQ(room_of("sub/deep/c.md"), room);
  EXPECT_TRUE(mine_project({.settings = {.chunk_characters = 800}}).kept_parts.empty());
  EXPECT_EQ(of_source("sub/b.md").size(), of_source("a.md").size());
  expect_nothing_to_do(mine_part("sub"));
}

TEST_F(PartTest, AProjectThatWasMinedFirstStaysOneInAFolderAboveIt) {
  write("sub/.gitignore", "*.log\n");
  write("sub/x.log", "ignored");
  mine_part("sub");
  EXPECT_EQ(wing_of("sub/b.md"), "sub");
  const std::string room = room_of("sub/deep/c.md");
  const MineReport report = mine_project();
  EXPECT_EQ(report.added, 1U);
  ASSERT_EQ(report.kept_parts.size(), 1U);
  EXPECT_EQ(report.kept_parts[0].path, path_of("sub"));
  EXPECT_EQ(wing_of("a.md"), "project");
  EXPECT_EQ(wing_of("sub/b.md"), "sub");
  EXPECT_EQ(room_of("sub/deep/c.md"), room);
  EXPECT_TRUE(of_source("sub/x.log").empty());
  EXPECT_EQ(sync({}).kept, 4U);
}

TEST_F(PartTest, AFolderWithAConfigurationIsAProjectOnceItIsMinedByItself) {
  write("sub/loci.yaml", "wing: own\n");
  mine_project();
  EXPECT_EQ(wing_of("sub/b.md"), "project");
  mine_part("sub/deep");
  EXPECT_EQ(wing_of("sub/deep/c.md"), "own");
  mine_project();
  EXPECT_EQ(wing_of("sub/b.md"), "own");
  expect_nothing_to_do(mine_part("sub"));
  expect_nothing_to_do(mine_project());
}

TEST_F(PartTest, ACheckoutIsAPartOnlyOfAFolderThatItWasMinedWith) {
  fs::create_directories(project() / "sub/.git");
  mine_project();
  expect_nothing_to_do(mine_part("sub"));
  write("later/d.md", "text");
  fs::create_directories(project() / "later/.git");
  EXPECT_EQ(mine_part("later").wing, "later");
  EXPECT_EQ(mine_part("sub", {.wing = "own"}).project_root, project() / "sub");
  mine_project();
  EXPECT_EQ(wing_of("later/d.md"), "later");
  EXPECT_EQ(wing_of("sub/b.md"), "own");
}

TEST_F(PartTest, AConfigurationThatNamesAnotherWingTakesOverFromTheOneThatWasGiven) {
  write("loci.yaml", "wing: first\n");
  mine_project({.settings = {.wing = "given"}});
  EXPECT_EQ(mine_project().wing, "given");
  write("loci.yaml", "wing: second\n");
  EXPECT_EQ(mine_project().wing, "second");
  EXPECT_EQ(mine_project().wing, "second");
}

TEST_F(PartTest, ARunThatIsInterruptedGoesOnAsItWasTold) {
  mine_project();
  int asked = 0;
  const auto stopped = mine(&drawers(), {.path = project(), .settings = {.wing = "new"}},
                            {.progress = [](const MineProgress&) {}, .is_cancelled = [&] { return ++asked > 6; }});
  ASSERT_FALSE(stopped.ok());
  mine_project();
  EXPECT_EQ(wing_of("a.md"), "new");
  EXPECT_EQ(wing_of("sub/deep/c.md"), "new");
}

TEST_F(PartTest, ADryRunNotesNothing) {
  mine_project();
  mine_project({.settings = {.wing = "other"}, .run = MineRun::dry_run});
  EXPECT_EQ(mine_project().wing, "project");
}

TEST_F(PartTest, AFileIsRecognisedWhenItIsMovedOutOfAPart) {
  mine_project();
  mine_part("sub", {.wing = "other"});
  const auto before = all();
  fs::rename(path_of("sub/b.md"), path_of("b.md"));
  EXPECT_EQ(mine_project().renamed, 1U);
  EXPECT_EQ(all(), before);
  EXPECT_EQ(wing_of("b.md"), "project");
}

TEST_F(PartTest, IncludeNamesFilesOfParts) {
  write("sub/build/r.md", "text");
  mine_project();
  mine_part("sub", {.wing = "other"});
  const MineReport report = mine_project({.include = {"sub/build/r.md"}});
  EXPECT_TRUE(report.unmatched.empty());
  EXPECT_EQ(report.added, 1U);
  EXPECT_EQ(mine_project({.include = {"build/r.md"}}).unmatched.size(), 1U);
}

TEST_F(PartTest, IncludeNamesFilesOfProjectsBelow) {
  write("sub/build/r.md", "text");
  mine_part("sub");
  const MineReport report = mine_project({.include = {"sub/build/r.md"}});
  EXPECT_TRUE(report.unmatched.empty());
  EXPECT_EQ(wing_of("sub/build/r.md"), "sub");
}

TEST_F(PartTest, WhatWasSaidOfAFolderThatIsGoneIsForgottenWithItsDrawers) {
  mine_project();
  mine_part("sub", {.wing = "other"});
  fs::remove_all(project() / "sub");
  mine_project();
  sync({.run = SyncRun::apply});
  EXPECT_EQ(drawers().sources("mined:")->size(), 2U) << "it may be on a disk that is not there";
  sync({.run = SyncRun::apply, .missing_root = MissingRoot::accept});
  EXPECT_EQ(drawers().sources("mined:")->size(), 1U);
  write("sub/b.md", "another");
  mine_project();
  EXPECT_EQ(wing_of("sub/b.md"), "project");
}

}  // namespace
}  // namespace loci::mining
