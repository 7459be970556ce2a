#include "http/mcp_endpoint.h"

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/server.h"
#include "http/test_client.h"
#include "mcp/fake_features.h"

namespace loci::http {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kToken = "0123456789abcdef0123456789abcdef";
constexpr std::string_view kInitialize =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{}},)"
    R"("clientInfo":{"name":"test","version":"1"}}})";

std::string request(std::string_view method, std::string_view headers, std::string_view body) {
  std::string text(method);
  text.append(" /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ").append(kToken);
  text.append("\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n");
  text.append(headers).append("Content-Length: ").append(std::to_string(body.size())).append("\r\n\r\n").append(body);
  return text;
}

std::string modern_body(std::string_view method, std::string_view params) {
  std::string text = R"({"jsonrpc":"2.0","id":7,"method":")";
  text.append(method).append(R"(","params":{)").append(params);
  text.append(R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)");
  return text.append(R"("io.modelcontextprotocol/clientCapabilities":{}}}})");
}

std::string modern(std::string_view method, std::string_view name, std::string_view params) {
  std::string headers = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: ";
  headers.append(method).append("\r\n");
  if (!name.empty()) headers.append("Mcp-Name: ").append(name).append("\r\n");
  return request("POST", headers, modern_body(method, params));
}

class McpEndpointTest : public testing::Test {
 protected:
  void SetUp() override {
    thread_ = std::thread([this] { server_->run(); });
  }
  void TearDown() override {
    features_.released = true;
    server_->stop();
    thread_.join();
    endpoint_.close();
    protocol_.finish();
  }

  TestClient client() { return TestClient(server_->address()); }

  // A new session; the header that names it.
  std::string open_session(TestClient& client) {
    EXPECT_TRUE(client.send(request("POST", "", kInitialize)));
    const std::string answer = client.read_answer();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 "));
    const std::size_t at = answer.find("mcp-session-id: ");
    EXPECT_NE(at, std::string::npos) << answer;
    return answer.substr(at, answer.find("\r\n", at) + 2 - at);
  }

  static bool becomes(const std::atomic<int>& value, int wanted) {
    for (int i = 0; i < 2000 && value != wanted; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return value == wanted;
  }

  mcp::FakeFeatures features_;
  mcp::Server protocol_{features_};
  McpEndpoint endpoint_{protocol_, {.token = std::string(kToken), .open_streams = 2}};
  std::unique_ptr<Server> server_ = *Server::open({}, {.stop_time = std::chrono::milliseconds(500)}, endpoint_);
  std::thread thread_;
};

TEST_F(McpEndpointTest, OpensUsesAndEndsALegacySession) {
  TestClient one = client();
  const std::string session = open_session(one);
  ASSERT_TRUE(one.send(request("POST", session, R"({"jsonrpc":"2.0","method":"notifications/initialized"})")));
  EXPECT_THAT(one.read_answer(), StartsWith("HTTP/1.1 202 "));
  ASSERT_TRUE(one.send(request("POST", session + "MCP-Protocol-Version: 2025-11-25\r\n",
                               R"({"jsonrpc":"2.0","id":2,"method":"ping"})")));
  EXPECT_THAT(one.read_answer(), HasSubstr(R"("id":2,"result":{})"));
  ASSERT_TRUE(one.send(request("DELETE", session, "")));
  EXPECT_THAT(one.read_answer(), StartsWith("HTTP/1.1 204 "));
  ASSERT_TRUE(one.send(request("POST", session, R"({"jsonrpc":"2.0","id":3,"method":"ping"})")));
  EXPECT_THAT(one.read_answer(), StartsWith("HTTP/1.1 404 "));
}

TEST_F(McpEndpointTest, WantsASessionFromLegacyClients) {
  TestClient one = client();
  ASSERT_TRUE(one.send(request("POST", "", R"({"jsonrpc":"2.0","id":3,"method":"ping"})")));
  EXPECT_THAT(one.read_answer(), StartsWith("HTTP/1.1 400 "));
  ASSERT_TRUE(one.send(request("POST", "Mcp-Session-Id: 1\r\n", R"({"jsonrpc":"2.0","id":3,"method":"ping"})")));
  EXPECT_THAT(one.read_answer(), StartsWith("HTTP/1.1 404 "));
  ASSERT_TRUE(one.send(request("POST", "MCP-Protocol-Version: 1999-01-01\r\n", kInitialize)));
  EXPECT_THAT(one.read_answer(), StartsWith("HTTP/1.1 400 "));
}

TEST_F(McpEndpointTest, StreamsWhatComesBeforeTheResult) {
  TestClient one = client();
  const std::string session = open_session(one);
  ASSERT_TRUE(
      one.send(request("POST", session,
                       R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"a":1},)"
                       R"("_meta":{"progressToken":"p"}}})")));
  const std::string answer = one.read_until("0\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("content-type: text/event-stream"));
  EXPECT_THAT(answer, HasSubstr("x-accel-buffering: no"));
  EXPECT_LT(answer.find("notifications/progress"), answer.find("structuredContent"));
}

TEST_F(McpEndpointTest, LetsAToolAskTheClientAndTakesTheAnswerByAnotherRequest) {
  TestClient one = client();
  const std::string session = open_session(one);
  ASSERT_TRUE(
      one.send(request("POST", session, R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask"}})")));
  EXPECT_THAT(one.read_until("maxTokens\":1}}"), HasSubstr(R"("id":"loci-1")"));
  TestClient two = client();
  ASSERT_TRUE(two.send(request("POST", session, R"({"jsonrpc":"2.0","id":"loci-1","result":{"said":"yes"}})")));
  EXPECT_THAT(two.read_answer(), StartsWith("HTTP/1.1 202 "));
  EXPECT_THAT(one.read_until("0\r\n\r\n"), HasSubstr("said"));
}

TEST_F(McpEndpointTest, SendsUnaskedMessagesToTheStreamOfTheSession) {
  TestClient one = client();
  const std::string session = open_session(one);
  TestClient listener = client();
  ASSERT_TRUE(listener.send(request("GET", session, "")));
  EXPECT_THAT(listener.read_until("\r\n\r\n"), HasSubstr("text/event-stream"));
  // The stream is attached by the time that a later request is answered.
  ASSERT_TRUE(one.send(request("POST", session, R"({"jsonrpc":"2.0","id":2,"method":"ping"})")));
  static_cast<void>(one.read_answer());
  protocol_.list_changed(mcp::ListKind::tools);
  EXPECT_THAT(listener.read_until("list_changed"), HasSubstr("notifications/tools/list_changed"));
}

TEST_F(McpEndpointTest, ThoseWhoOnlyListenLeaveRoomForOthers) {
  const std::string listen = modern("subscriptions/listen", "", R"("notifications":{"toolsListChanged":true},)");
  TestClient one = client();
  const std::string session = open_session(one);
  TestClient three = client();
  {
    TestClient first = client();
    ASSERT_TRUE(first.send(listen));
    EXPECT_THAT(first.read_until("acknowledged"), StartsWith("HTTP/1.1 200 "));
    TestClient second = client();
    ASSERT_TRUE(second.send(request("GET", session, "")));
    EXPECT_THAT(second.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
    ASSERT_TRUE(three.send(listen));
    EXPECT_THAT(three.read_answer(), StartsWith("HTTP/1.1 503 "));
    ASSERT_TRUE(one.send(request("POST", session, R"({"jsonrpc":"2.0","id":2,"method":"ping"})")));
    EXPECT_THAT(one.read_answer(), StartsWith("HTTP/1.1 200 "));
  }
  std::string answer;
  for (int i = 0; i < 200 && !answer.starts_with("HTTP/1.1 200 "); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    TestClient again = client();
    ASSERT_TRUE(again.send(listen));
    answer = again.read_until("\r\n\r\n");
  }
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 ")) << "their places are free again";
}

TEST_F(McpEndpointTest, ServesModernRequestsWithoutASession) {
  TestClient one = client();
  ASSERT_TRUE(one.send(modern("tools/list", "", "")));
  const std::string answer = one.read_answer();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(answer, HasSubstr(R"("resultType":"complete")"));
  EXPECT_THAT(answer, Not(HasSubstr("mcp-session-id")));
  ASSERT_TRUE(one.send(modern("no/such", "", "")));
  EXPECT_THAT(one.read_answer(), StartsWith("HTTP/1.1 404 "));
}

TEST_F(McpEndpointTest, RefusesModernRequestsWhoseHeadersSaySomethingElse) {
  TestClient one = client();
  ASSERT_TRUE(one.send(modern("tools/call", "ask", R"("name":"echo",)")));
  const std::string answer = one.read_answer();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(answer, HasSubstr("-32020"));
  ASSERT_TRUE(one.send(
      request("POST", "MCP-Protocol-Version: 2026-07-28\r\n", R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})")));
  EXPECT_THAT(one.read_answer(), HasSubstr("-32602"));
  ASSERT_TRUE(one.send(request("GET", "MCP-Protocol-Version: 2026-07-28\r\n", "")));
  EXPECT_THAT(one.read_answer(), StartsWith("HTTP/1.1 405 "));
}

TEST_F(McpEndpointTest, CancelsAModernRequestWhoseClientHangsUp) {
  {
    TestClient one = client();
    ASSERT_TRUE(one.send(modern("tools/call", "wait", R"("name":"wait",)")));
    ASSERT_TRUE(becomes(features_.waiting, 1));
  }
  EXPECT_TRUE(becomes(features_.cancelled, 1));
}

TEST_F(McpEndpointTest, GoesOnWithALegacyRequestWhoseClientHangsUp) {
  TestClient one = client();
  const std::string session = open_session(one);
  {
    TestClient two = client();
    ASSERT_TRUE(two.send(
        request("POST", session, R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"wait"}})")));
    ASSERT_TRUE(becomes(features_.waiting, 1));
  }
  ASSERT_TRUE(one.send(request("POST", session, R"({"jsonrpc":"2.0","id":6,"method":"ping"})")));
  EXPECT_THAT(one.read_answer(), HasSubstr("\"result\""));
  EXPECT_EQ(features_.cancelled, 0);
  ASSERT_TRUE(one.send(
      request("POST", session, R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})")));
  EXPECT_TRUE(becomes(features_.cancelled, 1));
}

TEST_F(McpEndpointTest, AnswersHealthChecksWithoutAToken) {
  TestClient one = client();
  ASSERT_TRUE(one.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  EXPECT_THAT(one.read_answer(), EndsWith("{\"status\":\"ok\"}\n"));
  ASSERT_TRUE(one.send("GET /healthz HTTP/1.1\r\nHost: evil.example.com\r\n\r\n"));
  EXPECT_THAT(one.read_answer(), StartsWith("HTTP/1.1 403 "));
}

TEST_F(McpEndpointTest, RefusesStrangersBeforeTheirBodyIsRead) {
  const struct {
    const char* head;
    const char* status;
  } cases[] = {
      {"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n", "401"},
      {"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer wrong\r\nContent-Length: 1000\r\n\r\n", "401"},
      {"POST /mcp?token=0123456789abcdef0123456789abcdef HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n",
       "400"},
      {"POST /mcp HTTP/1.1\r\nHost: evil.example.com\r\nContent-Length: 1000\r\n\r\n", "403"},
      {"POST /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example.com\r\nContent-Length: 9\r\n\r\n", "403"},
      {"GET /mcp/../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", "401"},
  };
  for (const auto& each : cases) {
    TestClient one = client();
    ASSERT_TRUE(one.send(each.head));
    EXPECT_THAT(one.read_answer(), StartsWith(std::string("HTTP/1.1 ") + each.status)) << each.head;
  }
}

TEST_F(McpEndpointTest, RefusesWhatIsNoMessage) {
  TestClient one = client();
  const std::string session = open_session(one);
  const std::string nested(10'000, '[');
  for (const std::string& body :
       {std::string("{"), std::string("[]"), std::string("1"), std::string("{}"), nested,
        nested + std::string(10'000, ']'), std::string(R"({"jsonrpc":"2.0","id":{},"method":"ping"})")}) {
    ASSERT_TRUE(one.send(request("POST", session, body)));
    EXPECT_THAT(one.read_answer(), StartsWith("HTTP/1.1 400 ")) << body.substr(0, 50);
  }
  ASSERT_TRUE(one.send(request("POST", session, R"({"jsonrpc":"2.0","id":9,"method":"ping"})")));
  EXPECT_THAT(one.read_answer(), HasSubstr(R"("id":9,"result")")) << "the connection is as good as before";
}

TEST_F(McpEndpointTest, TakesALongMessage) {
  TestClient one = client();
  const std::string session = open_session(one);
  const std::string body =
      R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":")" +
      std::string(5'000'000, 'x') + "\"}}}";
  ASSERT_TRUE(one.send(request("POST", session, body)));
  EXPECT_THAT(one.read_until("\"structuredContent\""), HasSubstr("HTTP/1.1 200 "));
}

}  // namespace
}  // namespace loci::http
