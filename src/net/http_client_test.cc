#include "net/http_client.h"

#include <gtest/gtest.h>

#include "net/loopback_server.h"

namespace loci {
namespace {

using std::chrono::milliseconds;

TEST(HttpClientTest, SendsMethodTargetHeadersAndBodyAndReadsTheAnswer) {
  LoopbackServer server({http_answer(200, R"({"ok": true})", "Retry-After: 7\r\n")});
  const auto answer = send_http({.method = "POST",
                                 .url = server.url() + "/api/embed?x=1",
                                 .headers = {{"Authorization", "Bearer k"}, {"Content-Type", "application/json"}},
                                 .body = "[1]"});
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, R"({"ok": true})");
  EXPECT_EQ(answer->retry_after, "7");
  const std::string request = server.requests().at(0);
  EXPECT_TRUE(request.starts_with("POST /api/embed?x=1 HTTP/1.1\r\n")) << request;
  EXPECT_NE(request.find("\r\nHost: 127.0.0.1:"), std::string::npos);
  EXPECT_NE(request.find("\r\nAuthorization: Bearer k\r\n"), std::string::npos);
  EXPECT_NE(request.find("\r\nContent-Length: 3\r\n"), std::string::npos);
  EXPECT_TRUE(request.ends_with("\r\n\r\n[1]"));
}

TEST(HttpClientTest, ReadsAnswersInPiecesAndThoseThatEndWithTheConnection) {
  LoopbackServer server(
      {{.bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"},
       {.bytes = "HTTP/1.0 503 Busy\r\n\r\nto the end"}});
  EXPECT_EQ(send_http({.url = server.url()})->body, "abcde");
  const auto busy = send_http({.url = server.url()});
  EXPECT_EQ(busy->status, 503);
  EXPECT_EQ(busy->body, "to the end");
}

TEST(HttpClientTest, DoesNotFollowARedirect) {
  LoopbackServer server({http_answer(302, "", "Location: http://127.0.0.1:1/\r\n")});
  EXPECT_EQ(send_http({.url = server.url()})->status, 302);
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(HttpClientTest, AnAnswerThatIsTooLongIsAnError) {
  const std::string body(1000, 'x');
  LoopbackServer server(
      {http_answer(200, body),
       {.bytes = "HTTP/1.1 200 OK\r\n\r\n" + body},
       {.bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n" + body + "\r\n0\r\n\r\n"}});
  for (int i = 0; i < 3; ++i) {
    const auto answer = send_http({.url = server.url()}, {.answer_bytes = 999});
    ASSERT_FALSE(answer.ok()) << i;
    EXPECT_EQ(answer.error().kind, ErrorKind::io);
    EXPECT_NE(answer.error().message.find("more than 999 bytes"), std::string::npos) << answer.error().message;
  }
}

TEST(HttpClientTest, WhatIsNoHttpOrIsCutOffIsAnError) {
  LoopbackServer server({{.bytes = "SSH-2.0-OpenSSH\r\n\r\n"},
                         {.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"},
                         {.bytes = "HTTP/1.1 200 OK\r\nX: " + std::string(100'000, 'x') + "\r\n\r\n"}});
  for (int i = 0; i < 3; ++i) {
    const auto answer = send_http({.url = server.url()});
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().kind, ErrorKind::io) << answer.error().message;
    EXPECT_NE(answer.error().message.find(server.url()), std::string::npos) << answer.error().message;
  }
}

TEST(HttpClientTest, AServerThatIsAwayOrSilentIsUnavailable) {
  std::string url;
  {
    LoopbackServer server({{.bytes = "", .stays_silent = true}, {.bytes = ""}});
    url = server.url();
    const auto silent = send_http({.url = url}, {.total_timeout = milliseconds(50)});
    ASSERT_FALSE(silent.ok());
    EXPECT_EQ(silent.error().kind, ErrorKind::unavailable);
    EXPECT_NE(silent.error().message.find("in time"), std::string::npos) << silent.error().message;
    EXPECT_EQ(server.requests().size(), 1U) << "it was connected";
    EXPECT_EQ(send_http({.url = url}).error().kind, ErrorKind::unavailable) << "closed without an answer";
  }
  const auto gone = send_http({.url = url});
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.error().kind, ErrorKind::unavailable);
  EXPECT_NE(gone.error().message.find(url + " cannot be reached"), std::string::npos) << gone.error().message;
}

TEST(HttpClientTest, NobodyWaitsForASilentServerWhenTheStopHasCome) {
  LoopbackServer server({{.bytes = "", .stays_silent = true}});
  StopTime stop;
  stop.stop_by(StopTime::Clock::now() + milliseconds(50));
  const auto start = StopTime::Clock::now();
  const auto answer = send_http({.url = server.url()}, {.stop = &stop});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().kind, ErrorKind::unavailable);
  EXPECT_NE(answer.error().message.find("not waited for"), std::string::npos) << answer.error().message;
  EXPECT_EQ(server.requests().size(), 1U) << "it was asked";
  EXPECT_LT(StopTime::Clock::now() - start, std::chrono::seconds(30));
}

TEST(HttpClientTest, APlainServerIsNotTrustedWithASecureAddress) {
  LoopbackServer server({{.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}});
  const auto answer = send_http({.url = "https" + server.url().substr(4)}, {.connect_timeout = milliseconds(100)});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().kind, ErrorKind::unavailable);
  EXPECT_NE(answer.error().message.find("cannot be trusted"), std::string::npos) << answer.error().message;
}

TEST(HttpClientTest, AHeaderCannotSmuggleInAnother) {
  const auto answer = send_http({.url = "http://127.0.0.1:1/", .headers = {{"Authorization", "Bearer k\r\nX: y"}}});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(answer.error().message.find("Bearer"), std::string::npos) << "a key is not shown";
}

}  // namespace
}  // namespace loci
