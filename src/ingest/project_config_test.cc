#include "ingest/project_config.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/temporary_folder.h"

namespace loci {
namespace {

TEST(ProjectConfigTest, ReadsWingRoomsAndPatterns) {
  const auto config = parse_project_config(
      "wing: shop\nrooms:\n- name: api\n  description: a long one,\n    on two lines\n  keywords: [GraphQL, rest]\n- "
      "plain\n"
      "exclude_patterns: ['*.log', \"drafts/\"]\nunknown: {a: 1}\n");
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->wing, "shop");
  EXPECT_EQ(config->rooms, (std::vector<RoomRule>{{"api", {"graphql", "rest"}}, {"plain", {}}}));
  ASSERT_EQ(config->exclude.size(), 2U);
  EXPECT_TRUE(config->exclude[1].folders_only);
}

TEST(ProjectConfigTest, AnEmptyFileSaysNothing) {
  for (const char* text : {"", "# only a comment\n", "wing:\nrooms: []\n"}) {
    const auto config = parse_project_config(text);
    ASSERT_TRUE(config.ok()) << text;
    EXPECT_EQ(config->wing, std::nullopt);
    EXPECT_TRUE(config->rooms.empty());
  }
}

TEST(ProjectConfigTest, WhatIsWrongIsToldWithItsLine) {
  const auto broken = parse_project_config("wing: shop\nrooms: [\n");
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.error().kind, ErrorKind::invalid_argument);
  const auto wrong = parse_project_config("wing: shop\nrooms:\n  - {title: x}\n");
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message.find("line 3"), std::string::npos) << wrong.error().message;
  EXPECT_FALSE(parse_project_config("rooms: api").ok());
  EXPECT_FALSE(parse_project_config("wing: [a]").ok());
  EXPECT_FALSE(parse_project_config("a: &x 1\nwing: *x\n").ok()) << "an alias";
  EXPECT_FALSE(parse_project_config("\xFF\xFE").ok());
}

TEST(ProjectConfigTest, OursComesBeforeMemPalaces) {
  const TemporaryFolder folder;
  EXPECT_FALSE(has_project_config(folder.path()));
  ASSERT_TRUE(write_file_atomically(folder.path() / "mempalace.yaml", "wing: old\n").ok());
  EXPECT_TRUE(has_project_config(folder.path()));
  EXPECT_EQ(load_project_config(folder.path())->wing, "old");
  ASSERT_TRUE(write_file_atomically(folder.path() / "loci.yaml", "wing: new\n").ok());
  EXPECT_EQ(load_project_config(folder.path())->wing, "new");
}

}  // namespace
}  // namespace loci
