#include "ingest/room.h"

#include <gtest/gtest.h>

namespace loci {
namespace {

std::string room(std::string_view path, std::string_view text = "") { return room_for(path, text, {}); }

TEST(RoomTest, IsTheFolderBelowThoseThatOnlyHoldCode) {
  EXPECT_EQ(room("src/auth/login.cc"), "auth");
  EXPECT_EQ(room("packages/web-ui/src/button.tsx"), "web_ui");
  EXPECT_EQ(room("src/main.cc"), "src");
  EXPECT_EQ(room("Recipes/Pasta.md"), "recipes");
}

TEST(RoomTest, FoldersWithManyNamesHaveOneRoom) {
  EXPECT_EQ(room("docs/guide.md"), "documentation");
  EXPECT_EQ(room("doc/a.md"), "documentation");
  EXPECT_EQ(room("src/api/tests/x.py"), "api");
  EXPECT_EQ(room("test/x.py"), "testing");
}

TEST(RoomTest, DatesAreAJournal) {
  EXPECT_EQ(room("2026/01/03.md"), "journal");
  EXPECT_EQ(room("2026-01-03.md"), "journal");
}

TEST(RoomTest, ByTheFilesName) {
  EXPECT_EQ(room("README.md"), "documentation");
  EXPECT_EQ(room("CMakeLists.txt"), "configuration");
  EXPECT_EQ(room("docker-compose.yml"), "configuration");
}

TEST(RoomTest, InTheEndByWhatItTalksAbout) {
  EXPECT_EQ(room("x.md", "We decided. The decision was made; rejected alternatives follow."), "decisions");
  EXPECT_EQ(room("x.md", "one bug"), "general");
}

TEST(RoomTest, TheProjectsRulesComeFirst) {
  const std::vector<RoomRule> rules = {{"backend", {"server", "database"}}, {"ui", {"button"}}};
  EXPECT_EQ(room_for("src/server/x.cc", "", rules), "backend");
  EXPECT_EQ(room_for("x/my-ui.md", "", rules), "ui");
  EXPECT_EQ(room_for("x/y.md", "the button and a button, no database", rules), "ui");
  EXPECT_EQ(room_for("docs/y.md", "nothing of it", rules), "general");
}

}  // namespace
}  // namespace loci
