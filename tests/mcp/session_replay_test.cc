// Recorded sessions with the tools of other programs: each answer must have the shape that their clients expect.
//
// A file has one JSON object a line: {"call": tool, "with": arguments, "gives": answer} or "fails" with the error of
// the protocol. In the expected answer "<text>", "<number>", "<integer>", "<boolean>", "<list>", "<object>" and "<any>"
// stand for any value of that type, and "<text or null>" and its like for one of two. "<id:NAME>" is a text that is
// remembered and put in for "<NAME>" in later arguments and answers. Everything else must be equal, and no key may be
// missing or come on top.
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "api/json.h"
#include "base/temporary_folder.h"
#include "tests/mcp/test_client.h"

namespace loci::mcp {
namespace {

namespace fs = std::filesystem;
using Names = std::map<std::string, std::string>;

bool is_of_type(std::string_view type, const Json& value) {
  if (type == "any") return true;
  if (type == "text") return value.is_string();
  if (type == "number") return value.is_number();
  if (type == "integer") return value.is_number_integer();
  if (type == "boolean") return value.is_boolean();
  if (type == "list") return value.is_array();
  if (type == "object") return value.is_object();
  if (type == "null") return value.is_null();
  return false;
}

void fill_in(Json& json, const Names& names) {
  if (json.is_string()) {
    std::string text = json.get<std::string>();
    for (const auto& [name, value] : names) {
      const std::string mark = "<" + name + ">";
      for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size())) {
        text.replace(at, mark.size(), value);
      }
    }
    json = text;
  }
  for (Json& part : json) {
    if (json.is_structured()) fill_in(part, names);
  }
}

// Where the value differs from what is expected; empty: nowhere.
std::string difference(const std::string& where, const Json& expected, const Json& value, Names& names) {
  if (expected.is_string()) {
    const std::string text = expected.get<std::string>();
    if (text.starts_with("<id:") && value.is_string()) {
      names[text.substr(4, text.size() - 5)] = value.get<std::string>();
      return "";
    }
    if (text.starts_with("<") && text.ends_with(">")) {
      const std::string types = text.substr(1, text.size() - 2);
      const std::size_t either = types.find(" or ");
      if (is_of_type(types.substr(0, either), value)) return "";
      if (either != std::string::npos && is_of_type(types.substr(either + 4), value)) return "";
      return where + " is " + value.dump() + ", not " + text;
    }
  }
  if (expected.is_object() && value.is_object()) {
    for (const auto& [key, part] : expected.items()) {
      if (!value.contains(key)) return where + " lacks " + key;
      if (std::string found = difference(where + "." + key, part, value[key], names); !found.empty()) return found;
    }
    for (const auto& [key, part] : value.items()) {
      if (!expected.contains(key)) return where + " has " + key + " on top";
    }
    return "";
  }
  if (expected.is_array() && value.is_array() && expected.size() == value.size()) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      std::string found = difference(where + "[" + std::to_string(i) + "]", expected[i], value[i], names);
      if (!found.empty()) return found;
    }
    return "";
  }
  return expected == value ? "" : where + " is " + value.dump() + ", not " + expected.dump();
}

// The JSON in the text of a result, or the text.
Json answer_of(const Json& result) {
  const std::string text = result["content"][0]["text"].get<std::string>();
  const Result<Json> json = parse_json(text, "the answer");
  return json.ok() ? *json : Json(text);
}

void replay(const std::string& tools) {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "project");
  std::ofstream(folder.path() / "project/notes.md") << "Notes about the lighthouse.\n";
  Client client(folder.path() / "palace", tools);
  Names names = {{"project", (folder.path() / "project").string()}};
  std::ifstream session(fs::path(LOCI_SESSIONS_FOLDER) / (tools + ".jsonl"));
  int steps = 0;
  for (std::string line; std::getline(session, line); ++steps) {
    Json step = Json::parse(line);
    fill_in(step, names);
    const Json response =
        client.request("tools/call", {{"name", step["call"]}, {"arguments", step.value("with", Json::object())}});
    const bool fails = step.contains("fails");
    ASSERT_TRUE(response.contains(fails ? "error" : "result")) << line << "\n" << response;
    const Json answer = fails ? response["error"] : answer_of(response["result"]);
    EXPECT_EQ(difference("answer", step[fails ? "fails" : "gives"], answer, names), "") << line << "\n"
                                                                                        << answer.dump(2);
  }
  EXPECT_GT(steps, 8) << "the session is there";
}

TEST(SessionReplayTest, MemPalacesSessionHasEqualShapes) { replay("mempalace"); }

TEST(SessionReplayTest, MemtomemsSessionHasEqualShapes) { replay("memtomem"); }

TEST(SessionReplayTest, ADifferenceIsFound) {
  Names names;
  EXPECT_EQ(difference("a", Json::parse(R"({"x": "<text>"})"), Json::parse(R"({"x": "y"})"), names), "");
  EXPECT_NE(difference("a", Json::parse(R"({"x": "<text>"})"), Json::parse(R"({"x": 1})"), names), "");
  EXPECT_NE(difference("a", Json::parse(R"({"x": 1})"), Json::parse(R"({})"), names), "");
  EXPECT_NE(difference("a", Json::parse(R"({})"), Json::parse(R"({"x": 1})"), names), "");
  EXPECT_NE(difference("a", Json::parse("[1]"), Json::parse("[1, 2]"), names), "");
}

}  // namespace
}  // namespace loci::mcp
