#include "http/request_reader.h"

#include <string>

#include <gtest/gtest.h>

namespace loci::http {
namespace {

using State = RequestReader::State;

constexpr std::string_view kPost =
    "POST /mcp?a=b HTTP/1.1\r\nHost: localhost\r\nX-Two:  words here \r\nContent-Length: 4\r\n\r\nbody";

class RequestReaderTest : public testing::Test {
 protected:
  // Everything at once, up to the end of the first request.
  State read(std::string_view bytes) {
    const State state = reader_.feed(bytes);
    return state == State::has_head ? reader_.read_body() : state;
  }

  ServerLimits limits_ = {.header_bytes = 1024, .body_bytes = 100};
  RequestReader reader_{limits_};
};

TEST_F(RequestReaderTest, TakesARequestApart) {
  ASSERT_EQ(read(kPost), State::complete);
  EXPECT_TRUE(reader_.keeps_alive());
  const IncomingRequest request = reader_.take();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/mcp");
  EXPECT_EQ(request.query, "a=b");
  EXPECT_EQ(request.header("x-two"), "words here");
  EXPECT_EQ(request.header("x-three"), std::nullopt);
  EXPECT_EQ(request.body, "body");
}

TEST_F(RequestReaderTest, ReadsTheSameHoweverTheBytesCome) {
  for (std::size_t step = 1; step < kPost.size(); ++step) {
    RequestReader reader(limits_);
    State state = State::incomplete;
    for (std::size_t at = 0; at < kPost.size(); at += step) {
      state = reader.feed(kPost.substr(at, step));
      if (state == State::has_head) state = reader.read_body();
      ASSERT_NE(state, State::failed) << step;
    }
    ASSERT_EQ(state, State::complete) << step;
    EXPECT_EQ(reader.take().body, "body");
  }
}

TEST_F(RequestReaderTest, KeepsTheNextRequestForLater) {
  std::string two(kPost);
  two += "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
  ASSERT_EQ(read(two), State::complete);
  EXPECT_EQ(reader_.take().body, "body");
  ASSERT_EQ(reader_.advance(), State::has_head);
  EXPECT_EQ(reader_.read_body(), State::complete);
  EXPECT_EQ(reader_.take().path, "/healthz");
  EXPECT_FALSE(reader_.has_begun());
}

TEST_F(RequestReaderTest, JoinsChunks) {
  ASSERT_EQ(read("POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n"),
            State::complete);
  EXPECT_EQ(reader_.take().body, "abcde");
}

TEST_F(RequestReaderTest, RefusesABodyThatIsTooLongBeforeItIsRead) {
  ASSERT_EQ(reader_.feed("POST /mcp HTTP/1.1\r\nContent-Length: 101\r\n\r\nx"), State::failed);
  EXPECT_EQ(reader_.refusal().status, 413);
}

TEST_F(RequestReaderTest, RefusesChunksThatAreTooLong) {
  State state = read("POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 11 && state == State::incomplete; ++i) state = reader_.feed("a\r\n0123456789\r\n");
  ASSERT_EQ(state, State::failed);
  EXPECT_EQ(reader_.refusal().status, 413);
}

TEST_F(RequestReaderTest, RefusesHeadersThatAreTooLong) {
  for (const std::string& start : {std::string("GET /"), std::string("GET / HTTP/1.1\r\nX: "), std::string("X")}) {
    RequestReader reader(limits_);
    State state = reader.feed(start);
    for (int i = 0; i < 200 && state == State::incomplete; ++i) state = reader.feed("0123456789");
    ASSERT_EQ(state, State::failed) << start;
    EXPECT_GE(reader.refusal().status, 400) << start;
  }
}

TEST_F(RequestReaderTest, CountsEveryByteOfTheHeadHoweverTheyCome) {
  const std::string around = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Long: \r\n\r\n";
  for (const std::size_t excess : {0U, 1U}) {
    std::string request = around;
    request.insert(around.size() - 4, limits_.header_bytes + excess - around.size(), 'x');
    for (const std::size_t step : {request.size(), std::size_t{7}}) {
      RequestReader reader(limits_);
      State state = State::incomplete;
      for (std::size_t at = 0; at < request.size(); at += step) state = reader.feed(request.substr(at, step));
      EXPECT_EQ(state, excess == 0 ? State::has_head : State::failed) << excess << " more, in pieces of " << step;
    }
  }
}

TEST_F(RequestReaderTest, RefusesALengthThatIsGivenInTwoWays) {
  ASSERT_EQ(reader_.feed("POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"), State::failed);
  EXPECT_EQ(reader_.refusal().status, 400);
}

TEST_F(RequestReaderTest, RefusesWhatIsNoHttp) {
  for (const char* bytes :
       {"\r\n\r\n\r\n", "hello\r\n\r\n", "GET / HTTP/2.0\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n", "\x16\x03\x01\x02"}) {
    RequestReader reader(limits_);
    EXPECT_EQ(reader.feed(bytes), State::failed) << bytes;
  }
}

TEST_F(RequestReaderTest, KnowsWhoWaitsForContinue) {
  ASSERT_EQ(reader_.feed("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"), State::has_head);
  EXPECT_TRUE(reader_.wants_continue());
}

}  // namespace
}  // namespace loci::http
