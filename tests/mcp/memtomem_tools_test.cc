// The tools of memtomem: their filters, lists and parameters.
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "tests/mcp/palace_test.h"

namespace loci::mcp {
namespace {

namespace fs = std::filesystem;

using MemtomemToolsTest = PalaceTest;

TEST_F(MemtomemToolsTest, MemtomemsNineToolsWork) {
  Client client(palace(), "memtomem");
  EXPECT_EQ(client.request("tools/list")["result"]["tools"].size(), 9U);
  const std::string added =
      text_of(client.call("mem_add", {{"content", "We chose GraphQL"}, {"namespace", "shop"}, {"tags", {"api"}}}));
  const std::string id = added.substr(added.rfind(' ') + 1);
  EXPECT_NE(text_of(client.call("mem_search", {{"query", "GraphQL"}, {"tag_filter", "api"}})).find(id),
            std::string::npos);
  EXPECT_EQ(
      text_of(client.call("mem_search", {{"query", "GraphQL"}, {"tag_filter", "other"}})).find("No results found."),
      0U);
  EXPECT_NE(
      text_of(client.call("mem_search", {{"query", "GraphQL"}, {"rerank", true}})).find("without effect here: rerank"),
      std::string::npos);
  EXPECT_NE(text_of(client.call("mem_recall", {{"namespace", "shop"}})).find("GraphQL"), std::string::npos);
  EXPECT_NE(text_of(client.call("mem_read", {{"chunk_id", id}})).find("GraphQL"), std::string::npos);
  EXPECT_EQ(text_of(client.call("mem_list")), "1 source, 1 chunk\n(no source)  [shop]  1 chunk");
  EXPECT_FALSE(client.call("mem_status").contains("isError"));
  EXPECT_FALSE(client.call("mem_stats").contains("isError"));
  EXPECT_NE(text_of(client.call("mem_do", {{"action", "help"}})).find("export"), std::string::npos);
  EXPECT_FALSE(client.call("mem_do", {{"action", "delete"}, {"params", {{"ids", {id}}}}}).contains("isError"));
}

TEST_F(MemtomemToolsTest, MemtomemsFiltersWorkWithAllThatLists) {
  Client client(palace(), "memtomem");
  client.call("mem_add", {{"content", "tagged"}, {"tags", {"api"}}, {"file", "/notes/log.md"}});
  EXPECT_FALSE(client.call("mem_add", {{"content", "other"}, {"tags", Json::array()}}).contains("isError"));
  for (const Json& filter : {Json{{"tag_filter", "api"}}, Json{{"source_filter", "log.md"}}}) {
    const std::string recalled = text_of(client.call("mem_recall", filter));
    EXPECT_NE(recalled.find("tagged"), std::string::npos) << recalled;
    EXPECT_EQ(recalled.find("other"), std::string::npos) << recalled;
    EXPECT_EQ(text_of(client.call("mem_list", filter)), "1 source, 1 chunk\n/notes/log.md  [general]  1 chunk");
  }
}

TEST_F(MemtomemToolsTest, MemtomemsListsCountSourcesAndFitABudget) {
  constexpr int kSources = 1'200;
  {
    std::string records;
    for (int i = 0; i < kSources; ++i) {
      const std::string number = std::to_string(i);
      const Json metadata = {{"wing", "wing " + number}, {"room", "r"}, {"source_file", "/notes/" + number + ".md"}};
      records += Json{{"id", number}, {"document", "d"}, {"metadata", metadata}}.dump() + "\n";
    }
    records +=
        Json{{"id", "twin"}, {"document", "e"}, {"metadata", {{"wing", "wing 0"}, {"source_file", "/notes/0.md"}}}}
            .dump() +
        "\n";
    write("records.jsonl", records);
    Client client(palace());
    const Json import = {{"operation", "import"},
                         {"arguments", {{"input", (folder_.path() / "records.jsonl").string()}}}};
    const Json imported = client.call("loci_do", import);
    ASSERT_FALSE(imported.contains("isError")) << imported;
  }
  Client client(palace(), "memtomem");
  const std::string list = text_of(client.call("mem_list"));
  EXPECT_EQ(list.find("1200 sources, 1201 chunks\n/notes/0.md  [wing 0]  2 chunks\n"), 0U) << list.substr(0, 200);
  EXPECT_NE(list.find(" more sources did not fit"), std::string::npos);
  EXPECT_LT(list.size(), 20'000U);
  for (const char* tool : {"mem_status", "mem_stats"}) {
    const std::string status = text_of(client.call(tool));
    EXPECT_LT(status.size(), 25'000U) << tool;
    EXPECT_NE(status.find("wings_left_out"), std::string::npos) << tool;
  }
}

TEST_F(MemtomemToolsTest, MemtomemsParametersHaveAnEffectOrAreNamed) {
  Client client(palace(), "memtomem");
  write("notes/deep/inner.md", "Notes about the lighthouse.\n");
  const std::string folder = (folder_.path() / "notes").string();
  EXPECT_EQ(client.call("mem_index", {{"path", folder}, {"recursive", false}})["isError"], true);
  EXPECT_FALSE(fs::exists(palace()));
  EXPECT_NE(text_of(client.call("mem_index", {{"path", folder}, {"recursive", true}, {"force", true}}))
                .find("without effect here: force"),
            std::string::npos);
  EXPECT_NE(text_of(client.call("mem_add",
                                {{"content", "x"}, {"allow_namespace_mix", true}, {"confirm_project_shared", true}}))
                .find("without effect here: allow_namespace_mix, confirm_project_shared"),
            std::string::npos);
  const Json search = {{"query", "lighthouse"}, {"verbose", true}, {"rerank", true}, {"output_format", "structured"}};
  EXPECT_EQ(client.wire("mem_search", search)["without_effect"], Json({"verbose", "rerank"}));
  EXPECT_EQ(client.call("mem_search", {{"query", "x"}, {"output_format", "xml"}})["isError"], true);
}

}  // namespace
}  // namespace loci::mcp
