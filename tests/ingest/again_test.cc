// Mining the same files again: what is unchanged costs nothing and keeps its id, what changed is brought up to date.
#include <chrono>
#include <filesystem>
#include <thread>

#include "palace/drawer.h"
#include "tests/ingest/fixture.h"

namespace loci::mining {
namespace {

namespace fs = std::filesystem;

using AgainTest = MiningTest;

TEST_F(AgainTest, DrawersPutTogetherAreTheFile) {
  write("notes.md", "# Title\r\n\r\n" + paragraphs(8, "rivers"));
  const MineReport report = mine_project();
  EXPECT_EQ(report.added, 1U);
  EXPECT_GT(report.drawers.stored, 3U);
  EXPECT_EQ(text_of("notes.md"), "# Title\r\n\r\n" + paragraphs(8, "rivers"));
  const Metadata metadata = of_source("notes.md").front().metadata;
  for (const char* key : {"wing", "room", "source_file", "chunk_index", "filed_at", "line_start", "line_end",
                          "content_date", "content_date_source", "ingest_mode", "byte_start", "byte_end", "kind"}) {
    EXPECT_TRUE(metadata.contains(key)) << key;
  }
  EXPECT_EQ(metadata.at("wing"), MetadataValue(std::string("project")));
}

TEST_F(AgainTest, UnchangedFilesAreNotRead) {
  write("a.md", "one");
  write("sub/b.md", "two");
  mine_project();
  // Written in this very moment, they are looked at once more; from then on not.
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  mine_project();
  const MineReport again = mine_project();
  EXPECT_EQ(again.bytes + again.drawers.stored + again.changed, 0U);
}

TEST_F(AgainTest, WhatIsNoTextIsNotedAndToldOfAgain) {
  write("data.raw", std::string("a\0b\0\0\0c\1\2\3", 10));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  mine_project();
  const MineReport again = mine_project();
  EXPECT_EQ(again.passed_over.count(PassReason::binary), 1U);
  EXPECT_EQ(again.files, 0U);
  EXPECT_EQ(drawers().sources("/")->size(), 1U);
  write("data.raw", "text now");
  EXPECT_EQ(mine_project().changed, 1U);
  EXPECT_EQ(text_of("data.raw"), "text now");
}

TEST_F(AgainTest, ATextThatBecomesBinaryLosesItsDrawers) {
  write("data.raw", "text at first");
  mine_project();
  write("data.raw", std::string("a\0b\0\0\0c\1\2\3", 10));
  const MineReport report = mine_project();
  EXPECT_EQ(report.passed_over.count(PassReason::binary), 1U);
  EXPECT_EQ(report.drawers.removed, 1U);
  ASSERT_EQ(report.emptied.size(), 1U);
  EXPECT_EQ(report.emptied[0].path, path_of("data.raw"));
  EXPECT_TRUE(all().empty());
}

TEST_F(AgainTest, ATextWithAFewNulsIsStoredWithoutThemAndToldOf) {
  std::string text = paragraphs(6, "seas");
  text.insert(100, 1, '\0');
  write("a.log", text);
  write("b.log", std::string("a\0b\0\0\0c\1\2\3", 10));
  const MineReport report = mine_project();
  ASSERT_EQ(report.nuls.size(), 1U);
  EXPECT_EQ(report.nuls[0].path, path_of("a.log"));
  text.replace(100, 1, "\uFFFD");
  EXPECT_EQ(text_of("a.log"), text);
  EXPECT_EQ(report.passed_over.count(PassReason::not_text), 1U) << "by its name it is a text";
}

TEST_F(AgainTest, ALineAtTheTopChangesNoIdOfWhatFollows) {
  const std::string text = paragraphs(30, "mountains");
  write("a.txt", text);
  mine_project();
  const auto before = all();
  write("a.txt", "A new first line.\n\n" + text);
  const MineReport report = mine_project();
  EXPECT_EQ(report.changed, 1U);
  EXPECT_EQ(text_of("a.txt"), "A new first line.\n\n" + text);
  std::size_t kept = 0;
  for (const auto& [id, document] : all()) kept += before.contains(id) ? 1 : 0;
  EXPECT_GE(kept * 10, before.size() * 9);
  EXPECT_EQ(report.drawers.moved, kept);
}

TEST_F(AgainTest, ARenamedFileKeepsItsDrawers) {
  write("a.md", paragraphs(4, "lakes"));
  mine_project();
  const auto before = all();
  fs::create_directories(project() / "moved");
  fs::rename(path_of("a.md"), path_of("moved/b.md"));
  const MineReport report = mine_project();
  EXPECT_EQ(report.renamed, 1U);
  EXPECT_TRUE(report.gone.empty());
  EXPECT_EQ(all(), before);
  EXPECT_EQ(text_of("moved/b.md"), paragraphs(4, "lakes"));
  EXPECT_EQ(std::get<std::string>(of_source("moved/b.md").front().metadata.at("room")), "moved");
}

TEST_F(AgainTest, AFolderRenamedAsAWholeKeepsItsDrawers) {
  write("x/a.md", paragraphs(4, "lakes"));
  write("y/1.md", paragraphs(4, "rivers"));
  mine_project({.path = project() / "x"});
  mine_project({.path = project() / "y/1.md"});
  ASSERT_TRUE(drawers().erase({.ids = {{of_source("x/a.md").at(1).id}}}).ok());
  const auto before = all();
  fs::rename(project() / "x", project() / "x2");
  fs::rename(path_of("y/1.md"), path_of("y/one.md"));
  const MineReport folder = mine_project({.path = project() / "x2"});
  const MineReport file = mine_project({.path = project() / "y/one.md"});
  EXPECT_EQ(folder.renamed, 1U);
  EXPECT_EQ(folder.drawers.held_back, 1U);
  EXPECT_TRUE(folder.gone.empty());
  EXPECT_EQ(file.renamed, 1U);
  EXPECT_EQ(all(), before);
}

TEST_F(AgainTest, AFileThatIsRenamedAndEditedKeepsMostDrawers) {
  write("a.md", paragraphs(6, "lakes"));
  write("other.md", paragraphs(6, "deserts"));
  mine_project();
  ASSERT_TRUE(drawers().erase({.ids = {{of_source("a.md").at(1).id}}}).ok());
  fs::remove(path_of("a.md"));
  write("b.md", paragraphs(6, "lakes") + "One more thing.\n");
  const MineReport report = mine_project();
  EXPECT_EQ(report.renamed, 1U);
  EXPECT_EQ(report.drawers.held_back, 1U);
  EXPECT_GE(report.drawers.moved, 2U);
  EXPECT_TRUE(report.gone.empty());
}

TEST_F(AgainTest, AnotherTextInPlaceOfAGoneFileIsNoRename) {
  write("a.md", paragraphs(6, "lakes"));
  mine_project();
  fs::remove(path_of("a.md"));
  write("b.md", paragraphs(6, "deserts"));
  EXPECT_EQ(mine_project().renamed, 0U);
  EXPECT_EQ(mine_project().gone.size(), 1U);
}

TEST_F(AgainTest, ACopyIsNoRename) {
  write("a.md", "the same words");
  mine_project();
  write("b.md", "the same words");
  const MineReport report = mine_project();
  EXPECT_EQ(report.renamed, 0U);
  EXPECT_EQ(report.added, 1U);
  EXPECT_EQ(all().size(), 2U);
}

TEST_F(AgainTest, ACopyOfAFileOnADiskThatIsAwayIsNoRename) {
  write("share/one/LICENSE", "the same words");
  write("local/two/LICENSE", "the same words");
  mine_project({.path = project() / "share/one", .settings = {.wing = "one"}});
  fs::rename(project() / "share/one", project() / "unmounted");
  const MineReport report = mine_project({.path = project() / "local/two", .settings = {.wing = "two"}});
  EXPECT_EQ(report.renamed, 0U);
  EXPECT_EQ(report.added, 1U);
  EXPECT_EQ(text_of("share/one/LICENSE"), "the same words");
}

TEST_F(AgainTest, AFileThatIsCopiedOutOfAFolderInUseAndRemovedIsARename) {
  write("one/a.md", "the same words");
  write("one/other.md", "others");
  mine_project({.path = project() / "one"});
  write("two/a.md", "the same words");
  fs::remove(path_of("one/a.md"));
  EXPECT_EQ(mine_project({.path = project() / "two"}).renamed, 1U);
}

TEST_F(AgainTest, AFileWithTheOldNameOfARenamedOneGetsIdsOfItsOwn) {
  write("a.md", "the same words");
  mine_project();
  fs::rename(path_of("a.md"), path_of("b.md"));
  mine_project();
  write("a.md", "the same words");
  mine_project();
  EXPECT_EQ(text_of("a.md"), "the same words");
  EXPECT_EQ(text_of("b.md"), "the same words");
}

TEST_F(AgainTest, WhatTheUserDeletedStaysDeletedUntilItChanges) {
  write("a.txt", paragraphs(6, "seas"));
  mine_project();
  const Record victim = of_source("a.txt").at(2);
  ASSERT_TRUE(drawers().erase({.ids = {{victim.id}}}).ok());
  write("a.txt", "Changed.\n\n" + paragraphs(6, "seas"));
  EXPECT_EQ(mine_project().drawers.held_back, 1U);
  EXPECT_FALSE(all().contains(victim.id));
}

TEST_F(AgainTest, WhatTheUserDeletedStaysDeletedWhileItsFileIsAway) {
  write("a.txt", paragraphs(6, "seas"));
  write("b.txt", "another text");
  mine_project();
  const Record victim = of_source("a.txt").at(2);
  ASSERT_TRUE(drawers().erase({.ids = {{victim.id}}}).ok());
  const auto before = all();
  fs::rename(path_of("a.txt"), project().parent_path() / "away");
  ASSERT_GT(sync({.run = SyncRun::apply}).removed_drawers, 0U);
  EXPECT_TRUE(sync({}).gone.empty()) << "it is told of once";
  fs::rename(project().parent_path() / "away", path_of("a.txt"));
  EXPECT_EQ(mine_project().drawers.held_back, 1U);
  EXPECT_EQ(all(), before);
}

TEST_F(AgainTest, WhatTheUserDeletedStaysDeletedWhenItIsCutDifferently) {
  write("a.txt", paragraphs(6, "seas"));
  mine_project();
  const Record victim = of_source("a.txt").at(2);
  ASSERT_TRUE(drawers().erase({.ids = {{victim.id}}}).ok());
  EXPECT_EQ(mine_project({.settings = {.wing = "other"}}).drawers.held_back, 1U);
  for (const std::size_t characters : {300U, 2000U, 800U}) {
    const MineReport report = mine_project({.settings = {.chunk_characters = characters}});
    EXPECT_GT(report.drawers.held_back, 0U) << characters;
    EXPECT_GT(report.drawers.stored, 0U) << characters;
    for (const auto& [id, text] : all())
      EXPECT_EQ(text.find(victim.document.substr(10, 60)), std::string::npos) << characters;
  }
}

TEST_F(AgainTest, WhatTheUserDeletedComesBackWhenAskedFor) {
  write("a.txt", paragraphs(6, "seas"));
  mine_project();
  const auto before = all();
  ASSERT_TRUE(drawers().erase({.ids = {{of_source("a.txt").at(2).id}}}).ok());
  const MineReport report = mine_project({.deleted = Deleted::restore});
  EXPECT_EQ(report.drawers.stored, 1U);
  EXPECT_EQ(all(), before);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  mine_project();
  EXPECT_EQ(mine_project({.deleted = Deleted::restore}).bytes, 0U) << "nothing is left to restore";
}

TEST_F(AgainTest, WhatTheUserWroteIntoADrawerStaysWhenItsFileChanges) {
  write("a.txt", "what the file says");
  mine_project();
  const std::string id = of_source("a.txt").front().id;
  const Record mine = update_drawer(drawers(), {.id = id, .document = "my own words"}).value();
  EXPECT_EQ(mine.metadata.at("edited_from"), MetadataValue(path_of("a.txt")));
  for (const char* key : {"source_file", "byte_start", "line_end"}) EXPECT_FALSE(mine.metadata.contains(key)) << key;
  EXPECT_EQ(mine.metadata.at("wing"), MetadataValue(std::string("project")));
  EXPECT_EQ(mine_project({.settings = {.wing = "other"}}).drawers.held_back, 1U) << "the text that it had";
  write("a.txt", "what the file says now");
  EXPECT_EQ(mine_project().drawers.removed, 0U);
  EXPECT_EQ(all().at(id), "my own words");
  EXPECT_EQ(text_of("a.txt"), "what the file says now");
}

TEST_F(AgainTest, AnUpdateWithTheSameTextLeavesADrawerInItsFile) {
  write("a.txt", "what the file says");
  mine_project();
  const std::string id = of_source("a.txt").front().id;
  const Record same = update_drawer(drawers(), {.id = id, .document = "what the file says", .room = "r"}).value();
  EXPECT_TRUE(same.metadata.contains("source_file"));
}

TEST_F(AgainTest, AnotherWingOrConfigurationPlacesTheDrawersAnew) {
  write("src/net/http.md", "text of it");
  mine_project();
  const auto before = all();
  write("loci.yaml", "wing: Shop\nrooms:\n  - name: wires\n    keywords: [net]\n");
  EXPECT_EQ(mine_project().drawers.moved, 1U);
  EXPECT_EQ(all(), before);
  EXPECT_EQ(std::get<std::string>(of_source("src/net/http.md").front().metadata.at("room")), "wires");
  EXPECT_EQ(mine_project({.settings = {.wing = "given"}}).wing, "given");
}

TEST_F(AgainTest, AnInterruptedRunGoesOn) {
  for (int i = 0; i < 40; ++i) write("f" + std::to_string(i) + ".md", paragraphs(2, std::to_string(i)));
  int asked = 0;
  const Result<MineReport> stopped =
      mine(&drawers(), {.path = project()},
           {.progress = [](const MineProgress&) {}, .is_cancelled = [&] { return ++asked > 60; }});
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().kind, ErrorKind::unavailable);
  mine_project();
  for (int i = 0; i < 40; ++i) EXPECT_EQ(text_of("f" + std::to_string(i) + ".md"), paragraphs(2, std::to_string(i)));
}

TEST_F(AgainTest, ADryRunStoresNothing) {
  write("a.md", "one");
  EXPECT_EQ(mine_project({.run = MineRun::dry_run}).drawers.stored, 1U);
  EXPECT_TRUE(all().empty());
  EXPECT_TRUE(drawers().sources("")->empty());
}

TEST_F(AgainTest, IgnoreFilesAndIncludeDecideWhatIsTaken) {
  write(".gitignore", "*.log\nignored/\n");
  write(".lociignore", "private.md\n");
  for (const char* name : {"a.md", "a.log", "ignored/x.md", "ignored/y.md", "private.md", "node_modules/m.js"})
    write(name, "text");
  EXPECT_EQ(mine_project().files, 1U + 2U) << "a.md and the two ignore files";
  const MineReport more = mine_project({.include = {"ignored/x.md", "*.log"}});
  EXPECT_EQ(more.added, 2U);
  EXPECT_EQ(text_of("ignored/y.md"), "");
}

TEST_F(AgainTest, IncludeReachesIntoFoldersThatArePassedOver) {
  for (const char* name : {"build/r.md", "build/deep/r.md", "build/p.txt", ".git/r.md", ".git/HEAD"})
    write(name, "text");
  const auto added = [&](const std::string& pattern) {
    drawers()
        .erase_sources(std::vector{path_of("build/r.md"), path_of("build/deep/r.md"), path_of("build/p.txt")})
        .value();
    const MineReport report = mine_project({.include = {pattern}});
    EXPECT_TRUE(report.unmatched.empty()) << pattern;
    return report.added;
  };
  EXPECT_EQ(added("*.md"), 2U);
  EXPECT_EQ(added("**/r.md"), 2U);
  EXPECT_EQ(added("p.txt"), 1U);
  EXPECT_EQ(added("build/r.md"), 1U);
  EXPECT_EQ(added("./build/r.md"), 1U);
  EXPECT_EQ(added(path_of("build/r.md")), 1U);
  EXPECT_EQ(added("build/*/r.md"), 1U);
  EXPECT_EQ(added("build/deep"), 1U);
  EXPECT_EQ(mine_project({.include = {"nothing.md", ".git/HEAD"}}).unmatched.size(), 2U);
}

TEST_F(AgainTest, WhatWasAskedForIsNotLeftOut) {
  write("a.md", "text");
  write("later.md", "text");
  mine_project();
  write(".lociignore", "later.md\n.lociignore\n");
  EXPECT_EQ(mine_project().left_out.size(), 1U);
  mine_project({.include = {"later.md"}});
  write("build/report.md", "text");
  write("build/named.md", "text");
  mine_project({.include = {"build/report.md"}});
  mine_project({.path = path_of("build/named.md")});
  EXPECT_TRUE(mine_project().left_out.empty());
  EXPECT_EQ(sync({.run = SyncRun::apply}).kept, 4U);
  EXPECT_EQ(text_of("build/report.md"), "text");
  EXPECT_EQ(text_of("build/named.md"), "text");
}

}  // namespace
}  // namespace loci::mining
