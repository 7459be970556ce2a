// Who hears of it when what the resources show has changed.
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/mcp/palace_test.h"

namespace loci::mcp {
namespace {

class ResourceChangesTest : public PalaceTest {
 protected:
  // What was told since the last time: "list" or the uri of a resource.
  std::set<std::string> told(RecordingSink& sink) {
    std::set<std::string> told;
    const std::vector<Json> messages = sink.messages();
    for (; told_ < messages.size(); ++told_) {
      const std::string method = messages[told_]["method"].get<std::string>();
      if (method == "notifications/resources/list_changed") told.insert("list");
      if (method == "notifications/resources/updated") told.insert(messages[told_]["params"]["uri"].get<std::string>());
    }
    return told;
  }
  using Told = std::set<std::string>;

  // Goes through all kinds of changes with somebody who listens to a wing, a room and a drawer.
  void expect_to_hear(Client& client, RecordingSink& sink) {
    client.call("loci_add", {{"document", "a"}, {"wing", "shop"}, {"room", "api"}, {"id", "1"}});
    EXPECT_EQ(told(sink), Told({"list", "loci://wing/shop"}));
    client.call("loci_add", {{"document", "b"}, {"wing", "shop"}, {"room", "api"}, {"id", "2"}});
    EXPECT_EQ(told(sink), Told({"loci://wing/shop", "loci://drawer/2"})) << "the room was there";
    client.call("loci_add", {{"document", "c"}, {"wing", "ship"}, {"room", "deck"}});
    EXPECT_EQ(told(sink), Told({"list"}));
    client.call("loci_update", {{"id", "2"}, {"wing", "home"}, {"room", "garden"}});
    EXPECT_EQ(told(sink), Told({"list", "loci://wing/shop", "loci://room/home/garden", "loci://drawer/2"}));
    client.call("loci_search", {{"query", "a"}});
    client.call("loci_do", {{"operation", "delete"}, {"arguments", {{"ids", {"2"}}, {"dry_run", true}}}});
    client.call("loci_delete", {{"ids", {"none"}}});
    EXPECT_EQ(told(sink), Told());
    client.call("loci_delete", {{"ids", {"2"}}});
    EXPECT_EQ(told(sink), Told({"list", "loci://room/home/garden", "loci://drawer/2"}));
    client.call("loci_add", {{"document", "d"}, {"wing", "home"}, {"room", "garden"}});
    EXPECT_EQ(told(sink), Told({"list", "loci://room/home/garden"})) << "the room was empty meanwhile";
    write("notes/a.md", "Some notes.\n");
    client.call("loci_mine", {{"path", (folder_.path() / "notes").string()}});
    EXPECT_EQ(told(sink), Told({"list", "loci://wing/shop", "loci://room/home/garden", "loci://drawer/2"}))
        << "many may have changed, so that all are told";
  }

 private:
  std::size_t told_ = 0;
};

TEST_F(ResourceChangesTest, LegacyClientsHearOfThem) {
  Client client(palace());
  const std::shared_ptr<RecordingSink> sink = client.hear();
  for (const char* uri : {"loci://wing/shop", "loci://room/home/garden", "loci://drawer/2"})
    EXPECT_TRUE(client.request("resources/subscribe", {{"uri", uri}}).contains("result"));
  EXPECT_TRUE(client.request("resources/subscribe", {{"uri", "file:///etc/passwd"}}).contains("error"));
  expect_to_hear(client, *sink);
}

TEST_F(ResourceChangesTest, ModernClientsHearOfThem) {
  Client client(palace());
  const Json uris = {"loci://wing/shop", "loci://room/home/garden", "loci://drawer/2", "file:///etc/passwd"};
  const Json wanted = {{"resourcesListChanged", true}, {"toolsListChanged", true}, {"resourceSubscriptions", uris}};
  const std::shared_ptr<RecordingSink> sink =
      client.send("subscriptions/listen", Client::modern_params({{"notifications", wanted}}));
  ASSERT_EQ(sink->messages().size(), 1U);
  const Json honoured = sink->messages()[0]["params"]["notifications"];
  EXPECT_EQ(honoured["resourceSubscriptions"].size(), 3U);
  EXPECT_FALSE(honoured.contains("toolsListChanged")) << "they never change";
  expect_to_hear(client, *sink);
}

TEST_F(ResourceChangesTest, OnlyWhatIsToldIsAnnounced) {
  Client client(palace());
  const Json capabilities = client.request("initialize", {{"protocolVersion", "2025-11-25"}})["result"]["capabilities"];
  EXPECT_EQ(capabilities["resources"], Json({{"subscribe", true}, {"listChanged", true}}));
  EXPECT_EQ(capabilities["tools"], Json::object());
  EXPECT_EQ(capabilities["prompts"], Json::object());
  EXPECT_FALSE(capabilities.contains("logging")) << "nothing is logged to clients";
}

}  // namespace
}  // namespace loci::mcp
