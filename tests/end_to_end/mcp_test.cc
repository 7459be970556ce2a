// `loci mcp` as a client runs it: lines in, lines out, and nothing else.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/end_to_end/program.h"

namespace loci::end_to_end {
namespace {

class McpTest : public EndToEndTest {
 protected:
  // What `loci mcp` answers to these lines, by id; whatever it writes must be a message.
  std::map<std::string, Json> session(const std::string& input, std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), "mcp");
    finished_ = loci(arguments, {.input = input, .environment = {{"LOCI_EMBEDDER", "none"}}});
    EXPECT_EQ(finished_.exit_code, 0) << finished_.err;
    std::map<std::string, Json> answers;
    std::istringstream lines(finished_.out);
    for (std::string line; std::getline(lines, line);) {
      const Result<Json> message = parse_json(line, "the line");
      EXPECT_TRUE(message.ok() && message->value("jsonrpc", "") == "2.0") << line;
      if (message.ok() && message->contains("id")) answers[message->at("id").dump()] = *message;
    }
    return answers;
  }
  static std::string call(int id, const std::string& tool, const Json& arguments) {
    return Json{{"jsonrpc", "2.0"},
                {"id", id},
                {"method", "tools/call"},
                {"params", {{"name", tool}, {"arguments", arguments}}}}
               .dump() +
           "\n";
  }

  Finished finished_;
};

constexpr const char* kInitialize =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},)"
    R"("clientInfo":{"name":"test","version":"1"}}})"
    "\n";

TEST_F(McpTest, AnswersWhatCameBeforeTheEndAndGoes) {
  const std::map<std::string, Json> answers =
      session(std::string(kInitialize) + R"({"jsonrpc":"2.0","method":"notifications/initialized"})" + "\n" +
              R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})" + "\n\n" +
              call(3, "loci_add", {{"document", "remember me"}}) + R"({"jsonrpc":"2.0","id":4,"method":"ping"})");
  EXPECT_EQ(answers.at("1")["result"]["protocolVersion"], "2025-06-18");
  EXPECT_EQ(answers.at("1")["result"]["serverInfo"]["name"], "loci");
  EXPECT_EQ(answers.at("2")["result"]["tools"].size(), 9U);
  EXPECT_TRUE(answers.at("3").contains("result"));
  EXPECT_EQ(answers.at("4")["result"], Json::object());
  EXPECT_EQ(json({"status"})["drawers"], 1);
}

// As reals they would lose digits without a word.
TEST_F(McpTest, IntegersOfMoreThan64BitsAreRefusedByName) {
  for (const std::string number : {"18446744073709551616", "-9223372036854775809", "100000000000000000000"}) {
    for (const std::string& value : {number, "[1, " + number + "]"}) {
      const std::map<std::string, Json> answers = session(
          kInitialize + std::string(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"loci_add",)") +
          R"("arguments":{"document":"x","metadata":{"serial":)" + value + "}}}}\n" +
          R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"loci_search","arguments":{"query":"x",)" +
          R"("where":{"serial":{"$gt":)" + number + "}}}}}\n");
      for (const char* id : {"2", "3"}) {
        EXPECT_EQ(answers.at(id)["result"]["isError"], true) << answers.at(id);
        const std::string text = answers.at(id)["result"]["content"][0]["text"].get<std::string>();
        EXPECT_NE(text.find("the number " + number + " does not fit into 64 bits"), std::string::npos) << text;
        EXPECT_NE(text.find("\"serial\""), std::string::npos) << text;
      }
    }
  }
  expect_failure({"status"}, 3, "there is no palace");
}

TEST_F(McpTest, HandshakeAndListsTouchNoFile) {
  const std::map<std::string, std::string> before = listing(folder());
  const std::map<std::string, Json> answers = session(
      std::string(kInitialize) + R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})" + "\n" +
      R"({"jsonrpc":"2.0","id":3,"method":"server/discover","params":{"_meta":{)" +
      R"("io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}})" +
      "\n" + R"({"jsonrpc":"2.0","id":4,"method":"resources/list"})" + "\n");
  EXPECT_EQ(answers.at("3")["result"]["supportedVersions"][0], "2026-07-28");
  EXPECT_EQ(answers.at("4")["result"]["resources"], Json::array());
  EXPECT_EQ(listing(folder()), before);
}

TEST_F(McpTest, GarbageIsAnsweredAndTheNextLineIsServed) {
  std::string long_line;
  long_line.resize(20'000'000, 'x');
  std::string input = "not json\n\xff\xfe\n[]\n{}\n" + long_line + "\n";
  input += std::string(10'000, '[') + std::string(10'000, ']') + "\n";
  input += R"({"jsonrpc":"2.0","id":"last","method":"ping"})";
  const std::map<std::string, Json> answers = session(input);
  EXPECT_TRUE(answers.contains("\"last\""));
  EXPECT_EQ(std::count(finished_.out.begin(), finished_.out.end(), '\n'), 7);
}

TEST_F(McpTest, NothingThatAClientSendsGetsIntoTheLogOrOntoTheScreen) {
  const std::string evil = "x\n2026-01-01 ERROR all is lost\x1b[2J\r\n{\"jsonrpc\":\"2.0\",\"id\":666,\"result\":{}}";
  const std::map<std::string, Json> answers =
      session(call(1, "loci_add", {{"document", evil}, {"wing", "w"}, {"source", evil}}) +
              call(2, evil, Json::object()) + call(3, "loci_do", {{"operation", evil}}));
  EXPECT_EQ(answers.size(), 3U);
  EXPECT_FALSE(answers.contains("666"));
  EXPECT_EQ(finished_.err, "");
  EXPECT_EQ(finished_.out.find('\x1b'), std::string::npos);
}

TEST_F(McpTest, ReadOnlyCreatesNothing) {
  const std::map<std::string, std::string> before = listing(folder());
  const std::map<std::string, Json> answers =
      session(call(1, "loci_add", {{"document", "x"}}) + call(2, "loci_search", {{"query", "x"}}), {"--read-only"});
  EXPECT_EQ(answers.at("1")["result"]["isError"], true);
  EXPECT_EQ(answers.at("2")["result"]["structuredContent"]["hits"], Json::array());
  EXPECT_EQ(listing(folder()), before);
}

TEST_F(McpTest, ASearchRanksAsTheCommandDoes) {
  for (int i = 0; i < 12; ++i) {
    std::string text = "note " + std::to_string(i);
    for (int n = 0; n < (i * 5) % 4; ++n) text += " tea";
    for (int n = 0; n < (i * 7) % 3; ++n) text += " milk";
    ok({"add", text, "--no-embed"});
  }
  const auto ids_of = [](const Json& hits) {
    std::vector<std::string> ids;
    for (const Json& hit : hits) ids.push_back(hit.at("id"));
    return ids;
  };
  for (const char* question : {"tea", "milk and tea", "note 7"}) {
    const auto answers = session(call(1, "loci_search", {{"query", question}, {"limit", 8}}));
    const std::vector<std::string> by_tool = ids_of(answers.at("1")["result"]["structuredContent"]["hits"]);
    EXPECT_GT(by_tool.size(), 1U) << question;
    EXPECT_EQ(by_tool, ids_of(json({"search", question, "--limit", "8", "--embedder", "none"}).at("hits"))) << question;
  }
}

TEST_F(McpTest, AnUnknownSetOfToolsIsAUsageError) {
  expect_failure({"mcp", "--tools", "nobodys"}, 2, "it must be loci, mempalace or memtomem");
}

TEST_F(McpTest, ALongMineEndsWithItsClient) {
  for (int i = 0; i < 1000; ++i) write(folder() / "project" / (std::to_string(i) + ".md"), std::string(20'000, 'x'));
  const auto begin = std::chrono::steady_clock::now();
  session(call(1, "loci_mine", {{"path", (folder() / "project").string()}}) +
          R"({"jsonrpc":"2.0","id":2,"method":"ping"})" + "\n");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_NE(finished_.out.find("\"id\":2"), std::string::npos);
}

TEST_F(McpTest, RecallShowsTheNewestAtTheTerminalToo) {
  ok({"add", "old"});
  ok({"add", "new"});
  const Json answer = json({"recall", "--limit", "1"});
  EXPECT_EQ(answer["drawers"][0]["document"], "new");
  EXPECT_EQ(answer["total"], 2);
  expect_failure({"recall", "--since", "soon"}, 2, "soon");
  EXPECT_NE(ok({"recall", "--limit", "1"}).find("1 drawer of 2; --offset 1 goes on"), std::string::npos);
  EXPECT_EQ(json({"recall", "--limit", "1", "--offset", "1"})["drawers"][0]["document"], "old");
  EXPECT_EQ(json({"recall", "--offset", "2"})["drawers"], Json::array());
}

}  // namespace
}  // namespace loci::end_to_end
