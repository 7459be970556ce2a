// What is answered before the palace is open and before the model is loaded.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "base/temporary_folder.h"
#include "store/embedded/embedded_backend.h"
#include "tests/mcp/test_client.h"

namespace loci::mcp {
namespace {

// A palace that cannot be opened until somebody allows it.
struct Gate {
  std::atomic<bool> is_open = false;
  std::atomic<int> waited = 0;
};

void add_backend_behind(Gate& gate, BackendRegistry& registry) {
  const Status added =
      registry.add(kDefaultBackend, BackendOrigin::code, [&gate]() -> Result<std::unique_ptr<Backend>> {
        ++gate.waited;
        while (!gate.is_open) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return make_embedded_backend();
      });
  ASSERT_TRUE(added.ok());
}

// For a palace with a drawer, whose model is only being loaded when a client asks.
SessionOptions options_while_loading(const std::filesystem::path& palace) {
  SessionOptions options = session_options(palace);
  options.sources.flags.embed = "now";
  Client(options).call("loci_add", {{"document", "We chose GraphQL for the app"}});
  options.loads_model_in_background = true;
  return options;
}

Json modern_meta() {
  return {
      {"_meta", {{std::string(kVersionKey), kModernVersion}, {std::string(kClientCapabilitiesKey), Json::object()}}}};
}

TEST(ReadinessTest, HandshakeAndListsAreAnsweredWhileThePalaceCannotBeOpened) {
  const TemporaryFolder folder;
  Gate gate;
  Client client(session_options(folder.path() / "palace"), "loci",
                [&](BackendRegistry& registry) { add_backend_behind(gate, registry); });
  client.features().warm_up();
  const std::shared_ptr<RecordingSink> search =
      client.send("tools/call", {{"name", "loci_search"}, {"arguments", {{"query", "x"}}}});
  for (int i = 0; i < 4000 && gate.waited == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ASSERT_EQ(gate.waited, 1) << "nobody tried to open the palace, so that nothing is shown";

  const Json initialized = client.request("initialize", {{"protocolVersion", "2025-06-18"}});
  EXPECT_EQ(initialized["result"]["protocolVersion"], "2025-06-18");
  EXPECT_TRUE(client.request("server/discover", modern_meta())["result"].contains("supportedVersions"));
  EXPECT_EQ(client.request("tools/list")["result"]["tools"].size(), 9U);
  EXPECT_EQ(client.request("tools/list", modern_meta())["result"]["tools"].size(), 9U);
  EXPECT_EQ(client.request("prompts/list")["result"]["prompts"].size(), 3U);
  EXPECT_TRUE(client.request("resources/templates/list").contains("result"));
  EXPECT_TRUE(client.request("ping").contains("result"));
  EXPECT_EQ(search->over(), 0U);

  gate.is_open = true;
  EXPECT_TRUE(search->wait_until_over(1));
  EXPECT_EQ(search->messages().back()["result"]["structuredContent"]["hits"], Json::array());
}

TEST(ReadinessTest, ASearchBeforeTheModelIsLoadedGoesByWordsAndSaysSo) {
  const TemporaryFolder folder;
  Client client(options_while_loading(folder.path() / "palace"));
  const auto search = [&] { return client.call("loci_search", {{"query", "GraphQL"}}); };

  const Json first = search();
  EXPECT_EQ(first["structuredContent"]["hits"].size(), 1U);
  EXPECT_EQ(first["structuredContent"]["searched"], Json({{"words", "complete"}, {"meaning", "not searched"}}));
  EXPECT_NE(first["structuredContent"]["degraded"][0]["reason"].get<std::string>().find("is being loaded"),
            std::string::npos);
  EXPECT_NE(text_of(first).find("is being loaded"), std::string::npos);

  Json later = search();
  for (int i = 0; i < 4000 && !later["structuredContent"]["degraded"].empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    later = search();
  }
  EXPECT_EQ(later["structuredContent"]["searched"], Json({{"words", "complete"}, {"meaning", "complete"}}));
  EXPECT_EQ(later["structuredContent"]["hits"].size(), 1U);
}

TEST(ReadinessTest, WhoeverFindsNothingBeforeTheModelIsLoadedIsToldThatNotAllWasLookedAt) {
  const TemporaryFolder folder;
  const SessionOptions options = options_while_loading(folder.path() / "palace");
  for (const char* topic : {"lighthouse", "GraphQL"}) {
    const Json searched = Client(options, "memtomem").call("mem_search", {{"query", topic}});
    EXPECT_NE(text_of(searched).find("is being loaded"), std::string::npos) << searched;
    const Json prompt =
        Client(options).request("prompts/get", {{"name", "recall"}, {"arguments", {{"topic", topic}}}})["result"];
    EXPECT_NE(prompt["messages"][0]["content"]["text"].get<std::string>().find("is being loaded"), std::string::npos)
        << prompt;
  }
}

}  // namespace
}  // namespace loci::mcp
