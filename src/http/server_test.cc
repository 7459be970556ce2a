#include "http/server.h"

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/mutex.h"
#include "http/sse.h"
#include "http/test_client.h"

namespace loci::http {
namespace {

using std::chrono::milliseconds;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// /echo answers with the body, /stream is answered by the test, /never by nobody, /forget is let go of.
class EchoHandler final : public RequestHandler {
 public:
  std::optional<Reply> refuse(const IncomingRequest& head) override {
    if (head.path == "/refused") return error_reply(403, "refused");
    return std::nullopt;
  }
  void handle(IncomingRequest request, std::shared_ptr<Responder> responder) override {
    if (request.path == "/echo") return responder->answer(json_reply(200, request.body));
    if (request.path == "/forget") return;
    responder->when_gone([this] { ++gone; });
    const MutexLock lock(mutex_);
    waiting_.push_back(std::move(responder));
    has_come_.notify_all();
  }

  std::shared_ptr<Responder> next() {
    const MutexLock lock(mutex_);
    while (waiting_.empty()) has_come_.wait(mutex_);
    std::shared_ptr<Responder> responder = waiting_.back();
    waiting_.pop_back();
    return responder;
  }

  std::atomic<int> gone = 0;

 private:
  Mutex mutex_;
  ConditionVariable has_come_;
  std::vector<std::shared_ptr<Responder>> waiting_ GUARDED_BY(mutex_);
};

std::string post(std::string_view path, std::string_view body) {
  return "POST " + std::string(path) +
         " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

class HttpServerTest : public testing::Test {
 protected:
  void start() {
    auto server = Server::open({}, limits_, handler_);
    ASSERT_TRUE(server.ok()) << server.error().message;
    server_ = std::move(*server);
    thread_ = std::thread([this] { server_->run(); });
  }
  void stop() {
    if (!thread_.joinable()) return;
    server_->stop();
    thread_.join();
  }
  void TearDown() override { stop(); }

  TestClient client() { return TestClient(server_->address()); }

  bool becomes_gone(int count) {
    for (int i = 0; i < 2000 && handler_.gone != count; ++i) std::this_thread::sleep_for(milliseconds(10));
    return handler_.gone == count;
  }

  EchoHandler handler_;
  ServerLimits limits_ = {.header_bytes = 4096,
                          .body_bytes = 100'000,
                          .head_time = milliseconds(300),
                          .body_time = milliseconds(300),
                          .idle_time = milliseconds(600),
                          .write_time = milliseconds(300),
                          .heartbeat_time = milliseconds(100),
                          .stop_time = milliseconds(500)};
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

TEST_F(HttpServerTest, AnswersManyRequestsOfOneConnection) {
  start();
  TestClient one = client();
  for (const std::string body : {"a", "", "three"}) {
    ASSERT_TRUE(one.send(post("/echo", body)));
    const std::string answer = one.read_answer();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(answer, EndsWith("\r\n\r\n" + body));
  }
}

TEST_F(HttpServerTest, AnswersRequestsThatWereSentAtOnceInTheirOrder) {
  start();
  TestClient one = client();
  ASSERT_TRUE(one.send(post("/echo", "first") + post("/echo", "second") + post("/echo", "third")));
  for (const char* body : {"first", "second", "third"}) EXPECT_THAT(one.read_answer(), EndsWith(body));
}

TEST_F(HttpServerTest, ClosesWhenTheClientAsksForIt) {
  start();
  TestClient one = client();
  ASSERT_TRUE(one.send("POST /echo HTTP/1.1\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx"));
  EXPECT_THAT(one.read_answer(), HasSubstr("connection: close"));
  EXPECT_TRUE(one.is_closed_within(milliseconds(5000)));
}

TEST_F(HttpServerTest, SaysContinueBeforeALongBody) {
  start();
  TestClient one = client();
  ASSERT_TRUE(one.send("POST /echo HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"));
  EXPECT_THAT(one.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 100 Continue"));
  ASSERT_TRUE(one.send("ok"));
  EXPECT_THAT(one.read_answer(), EndsWith("ok"));
}

TEST_F(HttpServerTest, StreamsPartsWithSignsOfLifeBetweenThem) {
  start();
  TestClient one = client();
  ASSERT_TRUE(one.send(post("/stream", "")));
  const std::shared_ptr<Responder> responder = handler_.next();
  responder->begin({.headers = {{"content-type", "text/event-stream"}}, .body = "first"});
  EXPECT_THAT(one.read_until("5\r\nfirst\r\n"), HasSubstr("transfer-encoding: chunked"));
  EXPECT_THAT(one.read_until(kSseHeartbeat), HasSubstr(kSseHeartbeat));
  responder->send("second");
  responder->end();
  EXPECT_THAT(one.read_until("0\r\n\r\n"), HasSubstr("6\r\nsecond\r\n"));
  ASSERT_TRUE(one.send(post("/echo", "again")));
  EXPECT_THAT(one.read_answer(), EndsWith("again"));
}

TEST_F(HttpServerTest, TellsWhenAClientIsGone) {
  start();
  {
    TestClient one = client();
    ASSERT_TRUE(one.send(post("/stream", "")));
    static_cast<void>(handler_.next());
  }
  EXPECT_TRUE(becomes_gone(1));
}

TEST_F(HttpServerTest, ClosesWhenNobodyWillAnswer) {
  start();
  TestClient one = client();
  ASSERT_TRUE(one.send(post("/forget", "")));
  EXPECT_TRUE(one.is_closed_within(milliseconds(5000)));
}

TEST_F(HttpServerTest, RefusesALongBodyUnreadAndLetsTheClientReadWhy) {
  start();
  TestClient one = client();
  ASSERT_TRUE(one.send("POST /echo HTTP/1.1\r\nContent-Length: 104857600\r\n\r\n"));
  for (int i = 0; i < 50 && one.send(std::string(10'000, 'x')); ++i) {
  }
  EXPECT_THAT(one.read_answer(), StartsWith("HTTP/1.1 413 "));
}

TEST_F(HttpServerTest, RefusesBeforeTheBodyWhatTheHandlerRefuses) {
  start();
  TestClient one = client();
  ASSERT_TRUE(one.send("POST /refused HTTP/1.1\r\nContent-Length: 50000\r\n\r\n"));
  EXPECT_THAT(one.read_answer(), StartsWith("HTTP/1.1 403 "));
}

TEST_F(HttpServerTest, DropsClientsThatSendTooSlowlyWhileOthersAreServed) {
  limits_.connections = 20;
  start();
  std::vector<TestClient> slow;
  for (int i = 0; i < 15; ++i) {
    slow.push_back(client());
    ASSERT_TRUE(slow.back().send(i % 2 == 0 ? "POST /echo HTTP/1.1\r\nX"
                                            : "POST /echo HTTP/1.1\r\nContent-Length: 9\r\n\r\n1"));
  }
  TestClient other = client();
  ASSERT_TRUE(other.send(post("/echo", "served")));
  EXPECT_THAT(other.read_answer(), EndsWith("served"));
  for (TestClient& each : slow) EXPECT_TRUE(each.is_closed_within(milliseconds(5000)));
}

TEST_F(HttpServerTest, GivesUpTheOldestThatWaitsWhenThereIsNoRoom) {
  limits_.connections = 4;
  limits_.head_time = limits_.idle_time = milliseconds(60'000);
  start();
  std::vector<TestClient> idle;
  for (int i = 0; i < 40; ++i) idle.push_back(client());
  TestClient other = client();
  ASSERT_TRUE(other.send(post("/echo", "served")));
  EXPECT_THAT(other.read_answer(), EndsWith("served"));
  EXPECT_TRUE(idle.front().is_closed_within(milliseconds(5000)));
}

TEST_F(HttpServerTest, TurnsClientsAwayWhenAllItsConnectionsAreAtWork) {
  limits_.connections = 2;
  start();
  std::vector<TestClient> busy;
  for (int i = 0; i < 2; ++i) {
    busy.push_back(client());
    ASSERT_TRUE(busy.back().send(post("/stream", "")));
  }
  const std::vector<std::shared_ptr<Responder>> responders = {handler_.next(), handler_.next()};
  EXPECT_THAT(client().read_answer(), StartsWith("HTTP/1.1 503 "));
  for (const auto& responder : responders) responder->answer(json_reply(200, "done"));
  for (TestClient& each : busy) EXPECT_THAT(each.read_answer(), EndsWith("done"));
}

TEST_F(HttpServerTest, DropsAClientThatDoesNotRead) {
  limits_.unsent_bytes = std::size_t{8} << 20;
  start();
  TestClient one = client();
  ASSERT_TRUE(one.send(post("/stream", "")));
  const std::shared_ptr<Responder> responder = handler_.next();
  responder->begin({});
  for (int i = 0; i < 100; ++i) responder->send(std::string(1'000'000, 'x'));
  EXPECT_TRUE(becomes_gone(1));
}

TEST_F(HttpServerTest, FinishesWhatIsUnderWayWhenItStops) {
  start();
  TestClient idle = client();
  TestClient one = client();
  ASSERT_TRUE(one.send(post("/stream", "")));
  const std::shared_ptr<Responder> responder = handler_.next();
  server_->stop();
  EXPECT_TRUE(idle.is_closed_within(milliseconds(5000)));
  responder->answer(json_reply(200, "done"));
  EXPECT_THAT(one.read_answer(), EndsWith("done"));
  one.close();
  thread_.join();
  EXPECT_EQ(server_->connection_count(), 0U);
}

TEST_F(HttpServerTest, WaitsForNobodyForEverWhenItStops) {
  start();
  TestClient one = client();
  ASSERT_TRUE(one.send(post("/stream", "")));
  const std::shared_ptr<Responder> responder = handler_.next();
  stop();
  EXPECT_EQ(handler_.gone, 1);
}

TEST_F(HttpServerTest, SaysSoWhenThePortIsTaken) {
  start();
  const auto second = Server::open(server_->address(), limits_, handler_);
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().message, HasSubstr("another program listens"));
}

TEST_F(HttpServerTest, KeepsNothingOfClientsThatCameAndWent) {
  start();
  for (int i = 0; i < 1000; ++i) {
    TestClient one = client();
    ASSERT_TRUE(one.is_connected());
    static_cast<void>(one.send(post("/echo", "x").substr(0, static_cast<std::size_t>(i % 60))));
  }
  stop();
  EXPECT_EQ(server_->connection_count(), 0U);
}

}  // namespace
}  // namespace loci::http
