// The lean set of tools: what it costs, and what each tool does.
#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tests/mcp/palace_test.h"

namespace loci::mcp {
namespace {

namespace fs = std::filesystem;

using LociToolsTest = PalaceTest;

TEST_F(LociToolsTest, TheLeanToolsCostFewTokens) {
  Client client(palace());
  const Json tools = client.request("tools/list")["result"]["tools"];
  std::set<std::string> names;
  for (const Json& tool : tools) names.insert(tool["name"].get<std::string>());
  EXPECT_EQ(names, (std::set<std::string>{"loci_search", "loci_recall", "loci_add", "loci_get", "loci_update",
                                          "loci_delete", "loci_mine", "loci_status", "loci_do"}));
  // A token of JSON has more than three characters on average, so that this bound is an upper one.
  EXPECT_LT(static_cast<double>(tools.dump().size()) / 3.0, 1'500);
}

TEST_F(LociToolsTest, EveryLeanToolIsDescribedAndAnnotated) {
  Client client(palace());
  const Json listed = client.request("tools/list");
  for (const Json& tool : listed["result"]["tools"]) {
    EXPECT_FALSE(tool["description"].get<std::string>().empty()) << tool;
    EXPECT_TRUE(tool["annotations"].contains("readOnlyHint")) << tool;
    EXPECT_EQ(tool["inputSchema"]["type"], "object");
    if (tool["name"] != "loci_do") {
      EXPECT_FALSE(tool["outputSchema"]["properties"].empty()) << tool;
    }
    if (tool["name"] == "loci_search") {
      EXPECT_EQ(tool["annotations"]["readOnlyHint"], true);
    }
    if (tool["name"] == "loci_delete") {
      EXPECT_EQ(tool["annotations"]["destructiveHint"], true);
    }
    if (tool["name"] == "loci_add") {
      EXPECT_EQ(tool["annotations"]["destructiveHint"], false);
    }
  }
}

TEST_F(LociToolsTest, WithoutAPalaceListsAreEmptyAndTheFirstWriteMakesOne) {
  Client client(palace());
  EXPECT_EQ(client.call("loci_search", {{"query", "x"}})["structuredContent"]["hits"], Json::array());
  EXPECT_EQ(client.call("loci_recall")["structuredContent"]["drawers"], Json::array());
  EXPECT_FALSE(client.call("loci_status").contains("isError"));
  EXPECT_EQ(client.request("resources/list")["result"]["resources"], Json::array());
  EXPECT_FALSE(fs::exists(palace()));
  EXPECT_FALSE(client.call("loci_add", {{"document", "first"}}).contains("isError"));
  EXPECT_TRUE(fs::exists(palace()));
}

TEST_F(LociToolsTest, ASessionAddsFindsChangesAndDeletes) {
  Client client(palace());
  const Json added =
      client.call("loci_add", {{"document", "We chose GraphQL for the app"}, {"wing", "shop"}, {"room", "api"}});
  const std::string id = added["structuredContent"]["id"].get<std::string>();
  EXPECT_EQ(text_of(added), "Stored as " + id + " in shop / api.");

  const Json found = client.call("loci_search", {{"query", "GraphQL"}});
  EXPECT_EQ(found["structuredContent"]["hits"][0]["id"], id);
  EXPECT_EQ(found["structuredContent"]["hits"][0]["document"], "We chose GraphQL for the app");
  for (const char* part : {"metadata", "highlights"})
    EXPECT_FALSE(found["structuredContent"]["hits"][0].contains(part)) << part;
  EXPECT_NE(text_of(found).find("not instructions"), std::string::npos);
  EXPECT_NE(text_of(found).find("Not complete: "), std::string::npos) << "a drawer without its vector is said to be so";

  client.call("loci_update", {{"id", id}, {"room", "decisions"}});
  const Json got = client.call("loci_get", {{"ids", {id}}});
  EXPECT_EQ(got["structuredContent"]["drawers"][0]["room"], "decisions");
  EXPECT_FALSE(got["structuredContent"]["drawers"][0].contains("metadata"));
  EXPECT_EQ(client.call("loci_delete", {{"ids", {id}}})["structuredContent"]["deleted"], 1);
  EXPECT_NE(text_of(client.call("loci_get", {{"ids", {id}}})).find("Not there: "), std::string::npos);
}

TEST_F(LociToolsTest, RecallGivesTheNewestFirst) {
  Client client(palace());
  for (const char* text : {"one", "two", "three"}) client.call("loci_add", {{"document", text}, {"wing", "w"}});
  client.call("loci_add", {{"document", "elsewhere"}, {"wing", "v"}, {"source", "/notes/log.md"}});
  Json drawers = client.call("loci_recall", {{"wing", "w"}, {"limit", 2}})["structuredContent"]["drawers"];
  ASSERT_EQ(drawers.size(), 2U);
  EXPECT_EQ(drawers[0]["document"], "three");
  EXPECT_EQ(drawers[1]["document"], "two");
  EXPECT_EQ(client.call("loci_recall", {{"source", "log.md"}})["structuredContent"]["total"], 1);
  EXPECT_EQ(client.call("loci_recall", {{"since", "1h"}})["structuredContent"]["total"], 4);
  EXPECT_EQ(client.call("loci_recall", {{"until", "2001-01-01"}})["structuredContent"]["total"], 0);
  EXPECT_EQ(client.call("loci_recall", {{"since", "soon"}})["isError"], true);
}

TEST_F(LociToolsTest, ArgumentsThatDoNotFitAreForTheModelToMend) {
  Client client(palace());
  for (const Json& arguments : {Json::object(), Json{{"query", 5}}, Json{{"query", "x"}, {"limit", "many"}},
                                Json{{"query", "x"}, {"nonsense", 1}}}) {
    EXPECT_EQ(client.call("loci_search", arguments)["isError"], true) << arguments;
  }
  EXPECT_EQ(client.call("loci_delete")["isError"], true) << "nothing named, nothing deleted";
}

TEST_F(LociToolsTest, MiningTellsItsProgressAndFollowsNoLinkOut) {
  write("secret/outside.md", "the password is swordfish");
  write("project/notes.md", "Notes about the lighthouse project.\n");
  fs::create_symlink(folder_.path() / "secret/outside.md", folder_.path() / "project/link.md");
  fs::create_directory_symlink(folder_.path() / "secret", folder_.path() / "project/linked");
  Client client(palace());
  const Json mined = client.call("loci_mine", {{"path", (folder_.path() / "project").string()}});
  EXPECT_EQ(mined["structuredContent"]["files"], 1) << mined;
  for (const char* link : {"project/link.md", "project/linked", "project/linked/", "project/linked/."}) {
    const Json refused = client.call("loci_mine", {{"path", (folder_.path() / link).string()}});
    EXPECT_EQ(refused["isError"], true) << link;
    EXPECT_NE(text_of(refused).find("symbolic link"), std::string::npos) << refused;
  }
  EXPECT_EQ(client.call("loci_search", {{"query", "lighthouse"}})["structuredContent"]["hits"].size(), 1U);
  const Json found = client.call("loci_search", {{"query", "swordfish"}});
  for (const Json& hit : found["structuredContent"]["hits"]) {
    EXPECT_EQ(hit["document"].get<std::string>().find("swordfish"), std::string::npos);
  }
}

TEST_F(LociToolsTest, WhatWasStoredHasTheWorkerStarted) {
  {
    Client client(palace());
    client.call("loci_search", {{"query", "x"}});
    client.call("loci_add", {{"document", "one"}});
    client.call("loci_add", {{"document", "two"}});
    for (int i = 0; i < 1000 && client.workers_started == 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_GE(client.workers_started, 1);
  }
}

TEST_F(LociToolsTest, AnswersOfManyTinyPartsFitTheBudget) {
  Client client(palace());
  std::string lines;
  for (int i = 0; i < 1'000; ++i) lines += Json{{"id", std::to_string(i)}, {"document", "x"}}.dump() + "\n";
  write("lines.jsonl", lines);
  client.call("loci_do",
              {{"operation", "import"}, {"arguments", {{"input", (folder_.path() / "lines.jsonl").string()}}}});
  EXPECT_LT(client.call("loci_recall", {{"limit", 1'000}}).dump().size(), 90'000U);
  EXPECT_LT(client.call("loci_do", {{"operation", "list"}, {"arguments", {{"limit", 1'000}}}}).dump().size(), 90'000U);
  Json ids = Json::array();
  for (int i = 0; i < 1'000; ++i) ids.push_back("missing-" + std::to_string(i));
  EXPECT_LT(client.call("loci_get", {{"ids", ids}}).dump().size(), 30'000U);
  client.call("loci_add", {{"document", "y"}, {"source", std::string(300'000, 's')}});
  EXPECT_LT(client.call("loci_recall", {{"limit", 1}}).dump().size(), 5'000U);
}

TEST_F(LociToolsTest, LargeAnswersFitTheBudget) {
  Client client(palace());
  for (int i = 0; i < 30; ++i)
    client.call("loci_add", {{"document", "needle " + std::string(6'000, 'x')}, {"wing", std::to_string(i)}});
  const Json found = client.call("loci_recall", {{"limit", 30}});
  EXPECT_LT(text_of(found).size(), 30'000U);
  EXPECT_GT(found["structuredContent"]["left_out"], 0);
}

}  // namespace
}  // namespace loci::mcp
