// The palace as resources, and the completion of their names.
#include "mcp/resources.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/mcp/palace_test.h"

namespace loci::mcp {
namespace {

using ResourcesTest = PalaceTest;

TEST_F(ResourcesTest, ResourcesAreThePalaceAndNothingElse) {
  Client client(palace());
  const std::string place = "caf\xC3\xA9 % 1";
  client.call("loci_add", {{"document", "Verbatim\n text"}, {"wing", place}, {"room", "r"}, {"source", "/etc/passwd"}});
  const Json resources = client.request("resources/list")["result"]["resources"];
  ASSERT_EQ(resources.size(), 2U);
  EXPECT_EQ(resources[0]["uri"], "loci://wing/caf%c3%a9%20%25%201");
  const Json room = client.request("resources/read", {{"uri", resources[1]["uri"]}})["result"]["contents"][0];
  const Json listing = Json::parse(room["text"].get<std::string>());
  const Json drawer =
      client.request("resources/read", {{"uri", listing["drawers"][0]["uri"]}})["result"]["contents"][0];
  EXPECT_EQ(drawer["text"], "Verbatim\n text");
  EXPECT_EQ(drawer["_meta"]["wing"], place);
  for (const char* uri : {"loci://drawer/..%2f..%2fetc%2fpasswd", "file:///etc/passwd", "loci://", "loci://drawer/",
                          "loci://drawer/%zz", "loci://drawer/%00", "loci://wing/none", "loci://drawer/a/b", "",
                          "loci://source/../../etc/shadow", "loci://drawer/%ff%fe"}) {
    EXPECT_TRUE(client.request("resources/read", {{"uri", uri}}).contains("error")) << uri;
  }
  const Json source = client.request("resources/read", {{"uri", "loci://source/%2Fetc%2Fpasswd"}});
  EXPECT_EQ(Json::parse(source["result"]["contents"][0]["text"].get<std::string>())["drawers"].size(), 1U)
      << "what was stored, not what the file has";
}

TEST_F(ResourcesTest, ASourceIsThatOneAndNoOther) {
  Client client(palace());
  client.call("loci_add", {{"document", "mine"}, {"source", "my_notes.md"}});
  const auto read = [&] { return client.request("resources/read", {{"uri", "loci://source/notes.md"}}); };
  EXPECT_TRUE(read().contains("error"));
  client.call("loci_add", {{"document", "theirs"}, {"source", "notes.md"}});
  const Json listing = Json::parse(read()["result"]["contents"][0]["text"].get<std::string>());
  ASSERT_EQ(listing["drawers"].size(), 1U);
  EXPECT_EQ(listing["drawers"][0]["begins"], "theirs");
}

TEST_F(ResourcesTest, UrisAreReadBackAsTheyWereWritten) {
  for (const std::vector<std::string>& parts :
       {std::vector<std::string>{"drawer", "a b/c%"}, {"room", "\xE2\x82\xAC", "x"}, {"wing", "~-._"}}) {
    EXPECT_EQ(parse_uri(make_uri(parts)), parts);
  }
}

TEST_F(ResourcesTest, CompletionKnowsTheNames) {
  Client client(palace());
  client.call("loci_add", {{"document", "a"}, {"wing", "shop"}, {"room", "api"}});
  client.call("loci_add", {{"document", "b"}, {"wing", "ship"}, {"room", "deck"}});
  const auto complete = [&](const char* name, const char* value, const Json& context = Json::object()) {
    return client.request("completion/complete",
                          {{"ref", {{"type", "ref/resource"}, {"uri", "loci://room/{wing}/{room}"}}},
                           {"argument", {{"name", name}, {"value", value}}},
                           {"context", context}})["result"]["completion"]["values"];
  };
  EXPECT_EQ(complete("wing", "sh"), Json({"ship", "shop"}));
  EXPECT_EQ(complete("wing", "sho"), Json({"shop"}));
  EXPECT_EQ(complete("room", "", {{"arguments", {{"wing", "ship"}}}}), Json({"deck"}));
  EXPECT_EQ(complete("nonsense", ""), Json::array());
}

TEST_F(ResourcesTest, CompletionSaysWhenThereIsMoreThanItLookedAt) {
  Client client(palace());
  for (int i = 0; i < 520; ++i) client.call("loci_add", {{"document", "d"}, {"id", "id-" + std::to_string(i)}});
  const auto complete = [&](const char* value) {
    return client.request("completion/complete",
                          {{"ref", {{"type", "ref/resource"}, {"uri", "loci://drawer/{id}"}}},
                           {"argument", {{"name", "id"}, {"value", value}}}})["result"]["completion"];
  };
  const Json found = complete("id-51");
  EXPECT_EQ(found["values"].size(), 11U) << found;
  EXPECT_EQ(found["hasMore"], true);
  EXPECT_FALSE(found.contains("total"));
}

}  // namespace
}  // namespace loci::mcp
