#include "mcp/server.h"

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "mcp/fake_features.h"
#include "mcp/recording_sink.h"

namespace loci::mcp {
namespace {

class ServerTest : public testing::Test {
 protected:
  static Json modern_meta() {
    return {{std::string(kVersionKey), kModernVersion}, {std::string(kClientCapabilitiesKey), Json::object()}};
  }
  // The one response to one request of the legacy era.
  Json request(const std::string& method, Json params = Json::object()) {
    const auto sink = std::make_shared<RecordingSink>();
    server_.receive({{"jsonrpc", "2.0"}, {"id", ++id_}, {"method", method}, {"params", std::move(params)}}, connection_,
                    sink);
    EXPECT_TRUE(sink->wait_until_over(1)) << method;
    notifications_ = sink->messages();
    if (notifications_.empty()) return nullptr;
    Json response = notifications_.back();
    notifications_.pop_back();
    EXPECT_EQ(response["id"], id_);
    return response;
  }
  Json modern_request(const std::string& method, Json params = Json::object()) {
    if (!params.contains("_meta")) params["_meta"] = modern_meta();
    return request(method, std::move(params));
  }
  // The last message that a text is answered with.
  Json answer_to(std::string_view text) {
    const auto sink = std::make_shared<RecordingSink>();
    server_.receive_text(text, connection_, sink);
    EXPECT_TRUE(sink->wait_until_over(1)) << text.substr(0, 100);
    return sink->messages().empty() ? Json() : sink->messages().back();
  }
  void initialize(std::string_view version) {
    request("initialize", {{"protocolVersion", version}, {"capabilities", Json::object()}});
  }

  FakeFeatures features_;
  std::shared_ptr<Connection> connection_ = std::make_shared<Connection>();
  int id_ = 0;
  std::vector<Json> notifications_;  // that came before the last response
  Server server_{features_};
};

TEST_F(ServerTest, InitializeEchoesAVersionThatIsKnown) {
  for (const std::string_view version : kLegacyVersions) {
    const Json response = request("initialize", {{"protocolVersion", version}});
    EXPECT_EQ(response["result"]["protocolVersion"], version);
    EXPECT_EQ(response["result"]["serverInfo"]["name"], "fake");
    EXPECT_EQ(response["result"]["instructions"], "Be kind.");
  }
}

TEST_F(ServerTest, InitializeOffersTheNewestLegacyVersionForOneThatIsNotKnown) {
  EXPECT_EQ(request("initialize", {{"protocolVersion", "1999-01-01"}})["result"]["protocolVersion"], "2025-11-25");
  EXPECT_EQ(request("initialize", {{"protocolVersion", "2026-07-28"}})["result"]["protocolVersion"], "2025-11-25");
  EXPECT_EQ(request("initialize")["result"]["protocolVersion"], "2024-11-05");
}

TEST_F(ServerTest, DiscoverNamesVersionsAndAbilities) {
  const Json result = modern_request("server/discover")["result"];
  EXPECT_EQ(result["supportedVersions"], supported_versions());
  EXPECT_EQ(result["resultType"], "complete");
  EXPECT_TRUE(result["capabilities"]["extensions"].contains(kTasksExtension));
  EXPECT_GE(result["ttlMs"], 0);
  EXPECT_EQ(result["_meta"][std::string(kServerInfoKey)]["name"], "fake");
}

TEST_F(ServerTest, AModernRequestNeedsItsMetadata) {
  EXPECT_EQ(request("server/discover")["error"]["code"], kInvalidParams);
  Json without_capabilities = {{std::string(kVersionKey), kModernVersion}};
  EXPECT_EQ(modern_request("tools/list", {{"_meta", without_capabilities}})["error"]["code"], kInvalidParams);
  Json future = modern_meta();
  future[std::string(kVersionKey)] = "2099-01-01";
  const Json error = modern_request("tools/list", {{"_meta", future}})["error"];
  EXPECT_EQ(error["code"], kUnsupportedVersion);
  EXPECT_EQ(error["data"]["requested"], "2099-01-01");
  EXPECT_EQ(error["data"]["supported"], supported_versions());
}

TEST_F(ServerTest, EachEraHasItsOwnMethods) {
  EXPECT_EQ(request("ping")["result"], Json::object());
  EXPECT_EQ(modern_request("ping")["error"]["code"], kMethodNotFound);
  EXPECT_EQ(modern_request("logging/setLevel", {{"level", "info"}, {"_meta", modern_meta()}})["error"]["code"],
            kMethodNotFound);
  EXPECT_EQ(request("tasks/get", {{"taskId", "x"}})["error"]["code"], kMethodNotFound);
  EXPECT_EQ(request("no/such")["error"]["message"], "Unknown method: no/such");
}

TEST_F(ServerTest, OlderVersionsGetNoFieldsThatCameLater) {
  initialize("2024-11-05");
  EXPECT_FALSE(request("tools/list")["result"]["tools"][0].contains("outputSchema"));
  EXPECT_FALSE(request("tools/call", {{"name", "echo"}})["result"].contains("structuredContent"));
  initialize("2025-06-18");
  EXPECT_TRUE(request("tools/list")["result"]["tools"][0].contains("outputSchema"));
  EXPECT_TRUE(request("tools/call", {{"name", "echo"}})["result"].contains("structuredContent"));
}

TEST_F(ServerTest, ProgressComesOnTheRequestsOwnStreamWhenItHasAToken) {
  initialize("2025-11-25");
  request("tools/call", {{"name", "echo"}, {"_meta", {{"progressToken", "p"}}}});
  ASSERT_EQ(notifications_.size(), 2U);
  EXPECT_EQ(notifications_[0]["method"], "notifications/progress");
  EXPECT_EQ(notifications_[0]["params"]["progressToken"], "p");
  EXPECT_EQ(notifications_[1]["method"], "notifications/message");
  request("logging/setLevel", {{"level", "error"}});
  request("tools/call", {{"name", "echo"}});
  EXPECT_TRUE(notifications_.empty());
}

TEST_F(ServerTest, AModernClientGetsLogMessagesOnlyWhenItAsksForThem) {
  modern_request("tools/call", {{"name", "echo"}});
  EXPECT_TRUE(notifications_.empty());
  Json meta = modern_meta();
  meta[std::string(kLogLevelKey)] = "debug";
  modern_request("tools/call", {{"name", "echo"}, {"_meta", meta}});
  ASSERT_EQ(notifications_.size(), 1U);
  EXPECT_EQ(notifications_[0]["params"]["level"], "warning");
}

TEST_F(ServerTest, ALongCallBlocksNothingAndACancelledOneGetsNoAnswer) {
  const auto sink = std::make_shared<RecordingSink>();
  for (int i = 0; i < 20; ++i) {
    server_.receive({{"jsonrpc", "2.0"},
                     {"id", "long-" + std::to_string(i)},
                     {"method", "tools/call"},
                     {"params", {{"name", "wait"}}}},
                    connection_, sink);
  }
  EXPECT_EQ(request("ping")["result"], Json::object());
  EXPECT_TRUE(request("tools/call", {{"name", "echo"}}).contains("result"));
  while (features_.waiting == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  for (int i = 0; i < 20; ++i) {
    server_.receive({{"jsonrpc", "2.0"},
                     {"method", "notifications/cancelled"},
                     {"params", {{"requestId", "long-" + std::to_string(i)}}}},
                    connection_, sink);
  }
  EXPECT_TRUE(sink->wait_until_over(20));
  EXPECT_TRUE(sink->messages().empty());
  EXPECT_GT(features_.cancelled, 0);
}

TEST_F(ServerTest, AnIdThatIsUnderWayIsRefused) {
  const auto sink = std::make_shared<RecordingSink>();
  const Json message = {{"jsonrpc", "2.0"}, {"id", 7}, {"method", "tools/call"}, {"params", {{"name", "wait"}}}};
  server_.receive(message, connection_, sink);
  server_.receive(message, connection_, sink);
  ASSERT_TRUE(sink->wait_until_over(1));
  EXPECT_EQ(sink->messages()[0]["error"]["code"], kInvalidRequest);
  features_.released = true;
  EXPECT_TRUE(sink->wait_until_over(2));
}

TEST_F(ServerTest, AToolMayAskTheClient) {
  initialize("2025-11-25");
  const auto sink = std::make_shared<RecordingSink>();
  server_.receive({{"jsonrpc", "2.0"}, {"id", 1000}, {"method", "tools/call"}, {"params", {{"name", "ask"}}}},
                  connection_, sink);
  ASSERT_TRUE(sink->wait_for_messages(1));
  const Json asked = sink->messages()[0];
  EXPECT_EQ(asked["method"], "sampling/createMessage");
  server_.receive({{"jsonrpc", "2.0"}, {"id", asked["id"]}, {"result", {{"role", "user"}}}}, connection_, sink);
  ASSERT_TRUE(sink->wait_until_over(1));
  EXPECT_EQ(sink->messages()[1]["result"]["content"][0]["text"], R"({"role":"user"})");
}

TEST_F(ServerTest, ListsComeInPages) {
  initialize("2025-11-25");
  std::size_t seen = 0;
  Json cursor = nullptr;
  int pages = 0;
  do {
    const Json result =
        request("resources/list", cursor.is_null() ? Json::object() : Json{{"cursor", cursor}})["result"];
    seen += result["resources"].size();
    cursor = result.value("nextCursor", Json(nullptr));
    ++pages;
  } while (!cursor.is_null());
  EXPECT_EQ(seen, 250U);
  EXPECT_EQ(pages, 3);
  EXPECT_EQ(request("resources/list", {{"cursor", "after-9999"}})["error"]["code"], kInvalidParams);
  EXPECT_EQ(request("tools/list", {{"cursor", "nonsense"}})["error"]["code"], kInvalidParams);
}

TEST_F(ServerTest, AResourceThatIsNotThereHasTheCodeOfItsEra) {
  EXPECT_EQ(request("resources/read", {{"uri", "fake://2"}})["error"]["code"], kResourceNotFound);
  EXPECT_EQ(modern_request("resources/read", {{"uri", "fake://2"}})["error"]["code"], kInvalidParams);
  const Json result = modern_request("resources/read", {{"uri", "fake://1"}})["result"];
  EXPECT_EQ(result["contents"][0]["text"], "one");
  EXPECT_EQ(result["cacheScope"], "private");
}

TEST_F(ServerTest, AListenerHearsWhatItAskedForAndNothingElse) {
  const auto sink = std::make_shared<RecordingSink>();
  server_.receive({{"jsonrpc", "2.0"},
                   {"id", "listen"},
                   {"method", "subscriptions/listen"},
                   {"params", {{"_meta", modern_meta()}, {"notifications", {{"toolsListChanged", true}}}}}},
                  connection_, sink);
  server_.list_changed(ListKind::prompts);
  server_.list_changed(ListKind::tools);
  ASSERT_EQ(sink->messages().size(), 2U);
  EXPECT_EQ(sink->messages()[0]["method"], "notifications/subscriptions/acknowledged");
  EXPECT_EQ(sink->messages()[0]["params"]["notifications"], Json({{"toolsListChanged", true}}));
  EXPECT_EQ(sink->messages()[1]["method"], "notifications/tools/list_changed");
  EXPECT_EQ(sink->messages()[1]["params"]["_meta"][std::string(kSubscriptionKey)], "listen");
  server_.receive({{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", "listen"}}}},
                  connection_, sink);
  EXPECT_EQ(sink->over(), 1U);
  server_.list_changed(ListKind::tools);
  EXPECT_EQ(sink->messages().size(), 2U);
}

TEST_F(ServerTest, LegacyClientsHearOfChangesOnTheirConnection) {
  initialize("2025-11-25");
  const auto sink = std::make_shared<RecordingSink>();
  connection_->attach(sink);
  request("resources/subscribe", {{"uri", "fake://1"}});
  server_.list_changed(ListKind::resources);
  server_.resources_changed([](const std::string& uri) { return uri == "fake://1"; });
  server_.resources_changed([](const std::string& uri) { return uri == "fake://2"; });
  ASSERT_EQ(sink->messages().size(), 2U);
  EXPECT_EQ(sink->messages()[0]["method"], "notifications/resources/list_changed");
  EXPECT_EQ(sink->messages()[1]["params"]["uri"], "fake://1");
}

TEST_F(ServerTest, OnlyResourcesAreSubscribedTo) {
  initialize("2025-11-25");
  EXPECT_EQ(request("resources/subscribe", {{"uri", "file:///etc/passwd"}})["error"]["code"], kInvalidParams);
  const auto sink = std::make_shared<RecordingSink>();
  const Json notifications = {{"resourceSubscriptions", {"fake://1", "file:///etc/passwd", 5}}};
  server_.receive({{"jsonrpc", "2.0"},
                   {"id", "listen"},
                   {"method", "subscriptions/listen"},
                   {"params", {{"_meta", modern_meta()}, {"notifications", notifications}}}},
                  connection_, sink);
  EXPECT_EQ(sink->messages()[0]["params"]["notifications"], Json({{"resourceSubscriptions", {"fake://1"}}}));
}

class ServerTaskTest : public ServerTest {
 protected:
  Json task_request(const std::string& method, Json params) {
    Json meta = modern_meta();
    meta[std::string(kClientCapabilitiesKey)]["extensions"][std::string(kTasksExtension)] = Json::object();
    params["_meta"] = meta;
    return request(method, std::move(params));
  }
  std::string begin() { return task_request("tools/call", {{"name", "wait"}})["result"]["taskId"].get<std::string>(); }
  Json wait_for_status(const std::string& id, std::string_view status) {
    Json result = Json::object();
    for (int i = 0; i < 2000 && result.value("status", "") != status; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      result = task_request("tasks/get", {{"taskId", id}})["result"];
    }
    return result;
  }
};

TEST_F(ServerTaskTest, ALongToolBecomesATaskForAClientThatKnowsTasks) {
  const Json begun = task_request("tools/call", {{"name", "wait"}})["result"];
  EXPECT_EQ(begun["resultType"], "task");
  EXPECT_EQ(begun["status"], "working");
  EXPECT_FALSE(begun.contains("result"));
  features_.released = true;
  const Json done = wait_for_status(begun["taskId"].get<std::string>(), "completed");
  EXPECT_EQ(done["status"], "completed");
  EXPECT_EQ(done["resultType"], "complete");
  EXPECT_EQ(done["result"]["content"][0]["text"], "waited");
}

TEST_F(ServerTaskTest, ACancelledTaskStops) {
  const std::string id = begin();
  EXPECT_TRUE(task_request("tasks/cancel", {{"taskId", id}}).contains("result"));
  EXPECT_EQ(task_request("tasks/get", {{"taskId", id}})["result"]["status"], "cancelled");
  for (int i = 0; i < 2000 && features_.cancelled == 0 && features_.waiting > 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(features_.cancelled, features_.waiting);
}

TEST_F(ServerTaskTest, TasksAreForThoseWhoDeclareThem) {
  EXPECT_EQ(task_request("tasks/get", {{"taskId", "nobody's"}})["error"]["code"], kInvalidParams);
  EXPECT_EQ(modern_request("tasks/get", {{"taskId", "x"}})["error"]["code"], kMissingCapability);
  features_.released = true;
  EXPECT_FALSE(modern_request("tools/call", {{"name", "wait"}})["result"].contains("taskId"));
}

TEST_F(ServerTaskTest, AClientOfTheLegacyEraGetsAnAnswerAndNoTask) {
  features_.released = true;
  const Json capabilities = {{"extensions", {{std::string(kTasksExtension), Json::object()}}}};
  request("initialize", {{"protocolVersion", "2025-11-25"}, {"capabilities", capabilities}});
  const Json result = request("tools/call", {{"name", "wait"}})["result"];
  EXPECT_EQ(result["content"][0]["text"], "waited") << result;
}

TEST_F(ServerTaskTest, ALongToolWithoutTasksIsCancelledAtTheEndLikeAnyOther) {
  Json meta = modern_meta();
  meta[std::string(kClientCapabilitiesKey)]["extensions"][std::string(kTasksExtension)] = Json::object();
  const auto sink = std::make_shared<RecordingSink>();
  server_.receive({{"jsonrpc", "2.0"},
                   {"id", 1},
                   {"method", "tools/call"},
                   {"params", {{"name", "toil"}, {"_meta", std::move(meta)}}}},
                  connection_, sink);
  for (int i = 0; i < 2000 && features_.waiting == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::future<void> finished = std::async(std::launch::async, [this] { server_.finish(); });
  const bool has_ended = finished.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
  features_.released = true;  // lets a server go that still waits
  finished.get();
  EXPECT_TRUE(has_ended);
  EXPECT_EQ(features_.cancelled, 1);
}

TEST_F(ServerTest, BatchesAreForTheVersionThatHasThem) {
  const char* batch =
      R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},
                          {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}}, 5, [1]])";
  EXPECT_EQ(answer_to(batch)["error"]["code"], kInvalidRequest);
  initialize("2025-11-25");
  EXPECT_EQ(answer_to(batch)["error"]["code"], kInvalidRequest);
  initialize("2025-03-26");
  const Json answers = answer_to(batch);
  ASSERT_TRUE(answers.is_array());
  EXPECT_EQ(answers.size(), 4U);
  EXPECT_EQ(answer_to("[]")["error"]["code"], kInvalidRequest);
}

TEST_F(ServerTest, WhatIsNoMessageIsRefusedWithTheRightCode) {
  EXPECT_EQ(answer_to("{")["error"]["code"], kParseError);
  EXPECT_EQ(answer_to("\xff\xfe")["error"]["code"], kParseError);
  EXPECT_EQ(answer_to(std::string(10'000, '[') + std::string(10'000, ']'))["error"]["code"], kParseError);
  EXPECT_EQ(answer_to(R"({"jsonrpc":"2.0","id":1,"id":2,"method":"ping"})")["error"]["code"], kParseError);
  for (const char* text :
       {"1", "null", "\"ping\"", "{}", R"({"jsonrpc":"1.0","id":1,"method":"ping"})",
        R"({"jsonrpc":"2.0","id":null,"method":"ping"})", R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})",
        R"({"jsonrpc":"2.0","id":[],"method":"ping"})",
        R"({"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"ping"})",
        R"({"jsonrpc":"2.0","id":1,"method":7})", R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[]})",
        R"({"jsonrpc":"2.0","id":1})"}) {
    EXPECT_EQ(answer_to(text)["error"]["code"], kInvalidRequest) << text;
  }
  const std::string huge_id = R"({"jsonrpc":"2.0","method":"ping","id":")" + std::string(10'000, 'x') + "\"}";
  EXPECT_EQ(answer_to(huge_id)["error"]["code"], kInvalidRequest);
  EXPECT_EQ(answer_to(R"({"jsonrpc":"2.0","id":9007199254740993,"method":"ping"})")["id"], 9007199254740993);
}

TEST_F(ServerTest, ParamsOfTheWrongTypeAreRefused) {
  EXPECT_EQ(request("tools/call", {{"name", 5}})["error"]["code"], kInvalidParams);
  EXPECT_EQ(request("tools/call", {{"name", "echo"}, {"arguments", "x"}})["error"]["code"], kInvalidParams);
  EXPECT_EQ(request("tools/call", {{"name", "nothing"}})["error"]["code"], kInvalidParams);
  EXPECT_EQ(request("resources/read")["error"]["code"], kInvalidParams);
  EXPECT_EQ(request("logging/setLevel", {{"level", "loud"}})["error"]["code"], kInvalidParams);
  EXPECT_EQ(request("completion/complete")["error"]["code"], kInvalidParams);
  EXPECT_TRUE(request("tools/call", {{"name", "echo"}, {"_meta", "x"}}).contains("result"));
}

TEST_F(ServerTest, FinishAnswersQuickRequestsAndCancelsLongOnes) {
  const auto sink = std::make_shared<RecordingSink>();
  const auto send = [&](int id, const char* tool) {
    server_.receive({{"jsonrpc", "2.0"}, {"id", id}, {"method", "tools/call"}, {"params", {{"name", tool}}}},
                    connection_, sink);
  };
  send(1, "wait");
  for (int i = 2; i < 30; ++i) send(i, "echo");
  server_.finish();
  EXPECT_EQ(sink->over(), 29U);
  std::size_t responses = 0;
  for (const Json& message : sink->messages()) responses += message.contains("result") ? 1 : 0;
  EXPECT_EQ(responses, 28U);
}

}  // namespace
}  // namespace loci::mcp
