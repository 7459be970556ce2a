#include "http/request_checks.h"

#include <gtest/gtest.h>

namespace loci::http {
namespace {

IncomingRequest request(Headers headers) { return {.method = "POST", .path = "/mcp", .headers = std::move(headers)}; }

int status_of(const std::optional<Reply>& reply) { return reply ? reply->status : 0; }

TEST(RequestChecksTest, LetsTheLoopbackInterfacePass) {
  for (const char* host :
       {"127.0.0.1:8765", "localhost:8765", "[::1]:8765", "localhost", "LocalHost", "[::1]", "127.0.0.1"})
    EXPECT_EQ(status_of(check_origin(request({{"host", host}}))), 0) << host;
}

TEST(RequestChecksTest, RefusesTheNamesOfOtherMachines) {
  for (const char* host :
       {"evil.example.com", "evil.example.com:8765", "localhost.evil.com", "127.0.0.1.evil.com:80", "",
        "192.168.0.7:8765", "localhost:", "localhost:80x", "localhost:999999", "[::1", "localhost@evil.com"})
    EXPECT_EQ(status_of(check_origin(request({{"host", host}}))), 403) << host;
  EXPECT_EQ(status_of(check_origin(request({}))), 400);
}

TEST(RequestChecksTest, LetsOnlyPagesOfThisServerPass) {
  const auto from = [](const char* origin) {
    return status_of(check_origin(request({{"host", "127.0.0.1:8765"}, {"origin", origin}})));
  };
  EXPECT_EQ(from("http://127.0.0.1:8765"), 0);
  EXPECT_EQ(from("http://localhost:8765"), 0);
  for (const char* origin :
       {"http://evil.example.com", "http://evil.example.com:8765", "null", "", "https://localhost:8765",
        "http://localhost:3000", "http://localhost", "file://", "http://localhost:8765.evil.com"})
    EXPECT_EQ(from(origin), 403) << origin;
}

TEST(RequestChecksTest, RefusesHeadersThatCouldBeReadInTwoWays) {
  EXPECT_EQ(status_of(check_origin(request({{"host", "localhost"}, {"host", "evil.com"}}))), 400);
  EXPECT_EQ(status_of(check_origin(request({{"host", "localhost"}, {"content-length", "1"}, {"content-length", "2"}}))),
            400);
}

TEST(RequestChecksTest, RefusesATokenInTheAddress) {
  IncomingRequest asked = request({{"host", "localhost"}});
  asked.query = "token=0123";
  EXPECT_EQ(status_of(check_origin(asked)), 400);
}

TEST(RequestChecksTest, AsksForTheToken) {
  const auto with = [](const char* value) {
    return status_of(check_token(request({{"authorization", value}}), "secret"));
  };
  EXPECT_EQ(with("Bearer secret"), 0);
  EXPECT_EQ(with("bearer  secret"), 0);
  for (const char* value :
       {"", "Bearer", "Bearer ", "Bearer secre", "Bearer secret2", "Bearer SECRET", "Basic secret", "secret"})
    EXPECT_EQ(with(value), 401) << value;
  const auto refusal = check_token(request({}), "secret");
  ASSERT_TRUE(refusal.has_value());
  EXPECT_EQ(refusal->headers.back().first, "www-authenticate");
}

}  // namespace
}  // namespace loci::http
