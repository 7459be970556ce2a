// The tools of MemPalace: their shapes, errors and limits.
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/mcp/palace_test.h"

namespace loci::mcp {
namespace {

namespace fs = std::filesystem;

using MempalaceToolsTest = PalaceTest;

TEST_F(MempalaceToolsTest, MemPalacesErrorsHaveItsTextsAndCodes) {
  Client client(palace(), "mempalace");
  const auto error = [&](const char* tool, const Json& arguments) {
    return client.request("tools/call", {{"name", tool}, {"arguments", arguments}})["error"];
  };
  EXPECT_EQ(error("mempalace_nothing", Json::object()),
            Json({{"code", -32601}, {"message", "Unknown tool: mempalace_nothing"}}));
  EXPECT_EQ(error("mempalace_search", {{"query", "x"}, {"y", 1}}),
            Json({{"code", -32602}, {"message", "Unknown parameter 'y' for tool mempalace_search"}}));
  EXPECT_EQ(error("mempalace_search", Json::object()),
            Json({{"code", -32602}, {"message", "Missing required parameter 'query' for tool mempalace_search"}}));
  EXPECT_EQ(error("mempalace_search", {{"query", "x"}, {"limit", "many"}}),
            Json({{"code", -32602}, {"message", "Invalid value for parameter 'limit'"}}));
  EXPECT_EQ(client.wire("mempalace_search", {{"query", "x"}})["error"], "No palace found");
}

TEST_F(MempalaceToolsTest, MemPalacesToolsGiveItsShapes) {
  Client client(palace(), "mempalace");
  const Json add = {{"wing", "shop"}, {"room", "api"}, {"content", "We chose GraphQL"}, {"wait_for_previous", true}};
  const Json added = client.wire("mempalace_add_drawer", add);
  EXPECT_EQ(added["success"], true);
  const std::string id = added["drawer_id"].get<std::string>();
  EXPECT_EQ(id.find("drawer_shop_api_"), 0U);
  EXPECT_EQ(client.wire("mempalace_add_drawer", add)["reason"], "already_exists");

  const Json found = client.wire("mempalace_search", {{"query", "GraphQL"}, {"limit", "3"}, {"wing", ""}});
  ASSERT_EQ(found["results"].size(), 1U);
  for (const char* key : {"text", "wing", "room", "source_file", "created_at", "similarity", "distance", "matched_via",
                          "bm25_score", "effective_distance", "closet_boost"}) {
    EXPECT_TRUE(found["results"][0].contains(key)) << key;
  }
  EXPECT_EQ(client.wire("mempalace_status")["wings"], Json({{"shop", 1}}));
  EXPECT_EQ(client.wire("mempalace_list_rooms"), Json({{"wing", "all"}, {"rooms", {{"api", 1}}}}));
  EXPECT_EQ(client.wire("mempalace_get_taxonomy"), Json({{"taxonomy", {{"shop", {{"api", 1}}}}}}));
  EXPECT_EQ(client.wire("mempalace_get_drawer", {{"drawer_id", id}})["content"], "We chose GraphQL");
  EXPECT_EQ(client.wire("mempalace_get_drawer", {{"drawer_id", "x"}}), Json({{"error", "Drawer not found: x"}}));
  EXPECT_EQ(client.wire("mempalace_check_duplicate", {{"content", "We chose GraphQL"}})["is_duplicate"], true);
  EXPECT_EQ(client.wire("mempalace_list_drawers")["drawers"][0]["content_preview"], "We chose GraphQL");
  EXPECT_EQ(client.wire("mempalace_update_drawer", {{"drawer_id", id}})["noop"], true);
  EXPECT_EQ(client.wire("mempalace_update_drawer", {{"drawer_id", id}, {"room", "new"}})["room"], "new");
  EXPECT_EQ(client.wire("mempalace_delete_drawer", {{"drawer_id", id}})["success"], true);
  EXPECT_EQ(client.wire("mempalace_delete_drawer", {{"drawer_id", id}}),
            Json({{"success", false}, {"error", "Drawer not found: " + id}}));
}

TEST_F(MempalaceToolsTest, MemPalacesSourcesAreDeletedByAnyNameThatItsToolsTell) {
  Client client(palace(), "mempalace");
  const auto add = [&](const std::string& content, const std::string& source) {
    client.wire("mempalace_add_drawer", {{"wing", "w"}, {"room", "r"}, {"content", content}, {"source_file", source}});
  };
  add("one", "/home/ana/notes.md");
  add("two", "/home/bob/notes.md");
  add("three", "/home/bob/plan.md");
  const Json found = client.wire("mempalace_search", {{"query", "three"}})["results"][0];
  EXPECT_EQ(found["source_file"], "plan.md");
  EXPECT_EQ(found["source_path"], "/home/bob/plan.md");
  for (const char* name : {"plan.md", "/home/bob/plan.md"}) {
    const Json preview = client.wire("mempalace_delete_by_source", {{"source_file", name}});
    EXPECT_EQ(preview["matches"], 1) << preview;
    EXPECT_EQ(preview["source_path"], "/home/bob/plan.md");
    EXPECT_EQ(preview["sample"][0]["content_preview"], "three");
  }
  const Json refused = client.wire("mempalace_delete_by_source", {{"source_file", "notes.md"}, {"dry_run", false}});
  EXPECT_EQ(refused["success"], false);
  EXPECT_NE(refused["error"].get<std::string>().find("source_path"), std::string::npos) << refused;
  EXPECT_EQ(client.wire("mempalace_delete_by_source", {{"source_file", "other.md"}})["matches"], 0);
  EXPECT_EQ(client.wire("mempalace_delete_by_source", {{"source_file", "plan.md"}, {"dry_run", false}})["deleted"], 1);
  EXPECT_EQ(client.wire("mempalace_status")["total_drawers"], 2);
}

TEST_F(MempalaceToolsTest, MemPalacesStatusOfADamagedPalaceIsPartial) {
  { Client(palace()).call("loci_add", {{"document", "x"}}); }
  for (const auto& file : fs::directory_iterator(palace())) {
    if (file.is_regular_file()) std::ofstream(file.path(), std::ios::trunc) << std::string(10'000, 'x');
  }
  Client client(palace(), "mempalace");
  const Json status = client.wire("mempalace_status");
  EXPECT_EQ(status.value("partial", false), true) << status;
  EXPECT_TRUE(status.contains("error"));
}

TEST_F(MempalaceToolsTest, MemPalacesLimitsHold) {
  Client client(palace(), "mempalace");
  const auto add = [&](const std::string& wing, const std::string& content) {
    return client.wire("mempalace_add_drawer", {{"wing", wing}, {"room", "r"}, {"content", content}});
  };
  const auto repeated = [](std::string_view character, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += character;
    return text;
  };
  EXPECT_EQ(add("w", repeated("x", 100'001))["error"], "content exceeds maximum length of 100000 characters");
  EXPECT_EQ(add("w", repeated("東", 100'000))["success"], true);
  EXPECT_EQ(add(repeated("é", 129), "x")["error"], "wing exceeds maximum length of 128 characters");
  for (const char* wing : {"../up", "a..b", "a/b", "a\\b"}) {
    EXPECT_EQ(add(wing, "x"), Json({{"success", false}, {"error", "wing contains invalid path characters"}})) << wing;
  }
  for (const char* wing : {"a\nb", "a|b", "a;b", "<w>"}) {
    EXPECT_EQ(add(wing, "x")["error"], "wing contains invalid characters") << wing;
  }
  EXPECT_EQ(add(" ", "x")["error"], "wing must be a non-empty string");
  EXPECT_EQ(add(" caf\xC3\xA9 d'Or-2.1 ", "x")["wing"], "caf\xC3\xA9 d'Or-2.1");
  EXPECT_EQ(add(repeated("é", 128), "y")["success"], true);

  const Json many = std::vector<std::string>(501, "x");
  for (const Json& ids : {many, Json::array()}) {
    EXPECT_EQ(client.wire("mempalace_get_drawers", {{"drawer_ids", ids}})["error"],
              "drawer_ids must have 1 to 500 ids");
    EXPECT_EQ(client.wire("mempalace_delete_drawers", {{"drawer_ids", ids}})["success"], false);
  }
}

TEST_F(MempalaceToolsTest, MemPalacesTimesAreReadOrRefused) {
  Client client(palace(), "mempalace");
  client.wire("mempalace_add_drawer", {{"wing", "w"}, {"room", "r"}, {"content", "needle"}});
  for (const char* name : {"since", "before"}) {
    const Json list = client.wire("mempalace_list_drawers", {{name, "not a date"}});
    EXPECT_NE(list["error"].get<std::string>().find("cannot read the time"), std::string::npos) << list;
    EXPECT_TRUE(client.wire("mempalace_search", {{"query", "needle"}, {name, "not a date"}}).contains("error"));
  }
  EXPECT_EQ(client.wire("mempalace_list_drawers", {{"since", "7d"}})["total"], 1);
  EXPECT_EQ(client.wire("mempalace_list_drawers", {{"before", "7d"}})["total"], 0);
  EXPECT_EQ(client.wire("mempalace_search", {{"query", "needle"}, {"since", "7d"}})["results"].size(), 1U);
}

TEST_F(MempalaceToolsTest, MemPalacesLargeAnswersAreCutAndSaySo) {
  Client client(palace(), "mempalace");
  const auto add = [&](const std::string& content) {
    const Json added = {{"wing", "w"}, {"room", "r"}, {"content", content}};
    return client.wire("mempalace_add_drawer", added)["drawer_id"];
  };
  std::string large = "needle ";
  while (large.size() < 64'000) large += "\"quoted\"\n";
  const Json id = add(large);
  const Json other = add("a needle in the hay");
  const Json calls = {
      {{"tool", "mempalace_search"}, {"with", {{"query", "needle"}}}, {"list", "results"}},
      {{"tool", "mempalace_get_drawers"}, {"with", {{"drawer_ids", {id, other}}}}, {"list", "drawers"}}};
  for (const Json& step : calls) {
    const Json answer = client.wire(step["tool"], step["with"]);
    EXPECT_EQ(answer["truncated"], true);
    EXPECT_EQ(answer["total"], 2);
    EXPECT_TRUE(answer.contains("notice"));
    const Json& items = answer[step["list"].get<std::string>()];
    ASSERT_EQ(items.size(), 2U) << answer;
    const bool is_first = items[0]["drawer_id"] == id;
    EXPECT_EQ(items[is_first ? 0 : 1]["truncated"], true);
    EXPECT_FALSE(items[is_first ? 1 : 0].contains("truncated"));
  }
  const Json got = client.call("mempalace_get_drawer", {{"drawer_id", id}});
  EXPECT_LT(text_of(got).size(), 50'000U);
  const Json drawer = Json::parse(text_of(got));
  EXPECT_EQ(drawer["truncated"], true) << drawer;
  const std::string content = drawer["content"].get<std::string>();
  EXPECT_GT(content.size(), 30'000U);
  EXPECT_EQ(content, large.substr(0, content.size()));
}

TEST_F(MempalaceToolsTest, MemPalaceFindsADuplicateForCertain) {
  Client client(palace(), "mempalace");
  EXPECT_EQ(client.wire("mempalace_check_duplicate", {{"content", "x"}})["is_duplicate"], false) << "no palace";
  const auto note = [](int i) {
    std::string text;
    for (int line = 0; line < 60; ++line) text += "The lighthouse keeper wrote note " + std::to_string(i) + ".\n";
    return text + "What shall we do?";
  };
  const auto add = [&](const std::string& content) {
    const Json added = {{"wing", "w"}, {"room", "r"}, {"content", content}};
    return client.wire("mempalace_add_drawer", added)["drawer_id"];
  };
  for (int i = 0; i < 30; ++i) add(note(i));
  add("***");
  for (const std::string& text : {note(3), note(29), std::string("***")}) {
    const Json checked = client.wire("mempalace_check_duplicate", {{"content", text}});
    EXPECT_EQ(checked["is_duplicate"], true);
    ASSERT_GE(checked["matches"].size(), 1U) << checked;
    EXPECT_EQ(checked["matches"][0]["id"], add(text));
    EXPECT_EQ(checked["matches"][0]["similarity"], 1.0);
  }
  EXPECT_EQ(client.wire("mempalace_check_duplicate", {{"content", "**"}})["is_duplicate"], false);
}

}  // namespace
}  // namespace loci::mcp
