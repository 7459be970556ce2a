#include "http/serve.h"

#include <csignal>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/temporary_folder.h"
#include "http/test_client.h"
#include "mcp/fake_features.h"

namespace loci::http {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class ServeTest : public testing::Test {
 protected:
  // Serves until `visit` was called with the address and a signal has come; what was said.
  std::vector<std::string> serve_once(const std::function<void(const ListenAddress&)>& visit) {
    std::vector<std::string> lines;
    std::promise<std::string> listening;
    Status status;
    std::thread thread([&] {
      status = serve(features_, options_, [&](std::string_view line) {
        lines.emplace_back(line);
        if (lines.size() == 1) listening.set_value(lines.front());
      });
    });
    const std::string line = listening.get_future().get();
    EXPECT_THAT(line, StartsWith("listening on http://127.0.0.1:"));
    ListenAddress address;
    address.port = static_cast<std::uint16_t>(std::stoul(line.substr(line.rfind(':') + 1)));
    visit(address);
    std::raise(SIGTERM);
    thread.join();
    EXPECT_TRUE(status.ok()) << status.error().message;
    return lines;
  }

  TemporaryFolder folder_;
  mcp::FakeFeatures features_;
  ServeOptions options_ = {.listen = "127.0.0.1:0", .token_file = folder_.path() / "http_token"};
};

TEST_F(ServeTest, ShowsTheTokenOnceAndEndsBySignal) {
  const auto ask = [](const ListenAddress& address) {
    TestClient client(address);
    EXPECT_TRUE(client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    EXPECT_THAT(client.read_answer(), StartsWith("HTTP/1.1 200 "));
    EXPECT_TRUE(client.send("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"));
    EXPECT_THAT(client.read_answer(), StartsWith("HTTP/1.1 401 "));
  };
  const std::vector<std::string> first = serve_once(ask);
  ASSERT_EQ(first.size(), 2U);
  EXPECT_THAT(first[1], StartsWith("token "));
  EXPECT_EQ(serve_once(ask).size(), 1U);
}

TEST_F(ServeTest, ATokenThatIsNotKeptIsShownAtEachStart) {
  options_.token_file = folder_.path() / "home" / "http_token";
  options_.keep_token = KeepToken::no;
  const auto nothing = [](const ListenAddress&) {};
  const std::vector<std::string> first = serve_once(nothing);
  const std::vector<std::string> second = serve_once(nothing);
  ASSERT_EQ(first.size(), 2U);
  ASSERT_EQ(second.size(), 2U);
  EXPECT_THAT(first[1], StartsWith("token "));
  EXPECT_NE(first[1], second[1]);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(ServeTest, RefusesAnAddressThatOthersCanReach) {
  options_.listen = "0.0.0.0:0";
  const Status status = serve(features_, options_, [](std::string_view) {});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::invalid_argument);
  EXPECT_THAT(status.error().message, HasSubstr("0.0.0.0"));
}

}  // namespace
}  // namespace loci::http
