#include "net/retry.h"

#include <vector>

#include <gtest/gtest.h>

namespace loci {
namespace {

using std::chrono::milliseconds;

// Answers in order, the last one for ever, and notes what was waited for.
class RetryTest : public testing::Test {
 protected:
  Result<HttpResponse> send(std::vector<Result<HttpResponse>> answers, const RetryPolicy& policy = {}) {
    const HttpTransport transport = [&](const HttpRequest&) {
      return answers[std::min<std::size_t>(static_cast<std::size_t>(sent_++), answers.size() - 1)];
    };
    return send_with_retries(transport, {.url = "http://h/"}, policy,
                             [&](milliseconds wait) { waits_.push_back(wait); });
  }

  static HttpResponse status(int code, std::string retry_after = {}) {
    return {.status = code, .body = {}, .retry_after = std::move(retry_after)};
  }

  int sent_ = 0;
  std::vector<milliseconds> waits_;
};

TEST_F(RetryTest, WhatSucceedsIsSentOnce) {
  EXPECT_EQ(send({status(200)})->status, 200);
  EXPECT_EQ(sent_, 1);
  EXPECT_TRUE(waits_.empty());
}

TEST_F(RetryTest, ABusyServerIsAskedAgainAfterLongerAndLongerWaits) {
  EXPECT_EQ(send({status(503), status(500), Error{ErrorKind::unavailable, "refused"}, status(200)})->status, 200);
  EXPECT_EQ(waits_, (std::vector<milliseconds>{milliseconds(250), milliseconds(500), milliseconds(1000)}));
}

TEST_F(RetryTest, AttemptsAndWaitsHaveAnEnd) {
  EXPECT_EQ(send({status(503)}, {.attempts = 8, .longest_delay = milliseconds(1000)})->status, 503);
  EXPECT_EQ(sent_, 8);
  EXPECT_EQ(waits_.back(), milliseconds(1000));
}

TEST_F(RetryTest, WhatTheServerAsksForIsWaited) {
  EXPECT_EQ(send({status(429, "3"), status(200)})->status, 200);
  EXPECT_EQ(waits_, std::vector{milliseconds(3000)});
}

TEST_F(RetryTest, AServerThatAsksForTooMuchIsGivenUp) {
  EXPECT_EQ(send({status(429, "3600"), status(200)})->status, 429);
  EXPECT_EQ(sent_, 1);
}

TEST_F(RetryTest, AnUnreadableRetryAfterIsNotWaitedFor) {
  for (const char* text : {"Wed, 21 Oct 2026 07:28:00 GMT", "-5", "99999999999999999999", "3 seconds"}) {
    waits_.clear();
    sent_ = 0;
    EXPECT_EQ(send({status(429, text), status(200)})->status, 200) << text;
    EXPECT_EQ(waits_, std::vector{milliseconds(250)}) << text;
  }
}

TEST_F(RetryTest, AMistakeIsNotTriedAgain) {
  for (const int code : {400, 401, 404, 413, 422, 501}) EXPECT_EQ(send({status(code)})->status, code);
  EXPECT_EQ(sent_, 6);
  EXPECT_EQ(send({Error{ErrorKind::io, "no HTTP"}}).error().kind, ErrorKind::io);
  EXPECT_TRUE(waits_.empty());
}

TEST_F(RetryTest, AStatusBecomesAKindOfErrorWithTheServersWords) {
  EXPECT_EQ(status_error("h", status(429)).kind, ErrorKind::unavailable);
  EXPECT_EQ(status_error("h", status(404)).kind, ErrorKind::not_found);
  EXPECT_EQ(status_error("h", status(302)).kind, ErrorKind::io);
  const Error refused = status_error("http://h", {.status = 401, .body = "no\nentry", .retry_after = {}});
  EXPECT_EQ(refused.kind, ErrorKind::invalid_argument);
  EXPECT_EQ(refused.message, "http://h answers 401 (the key is missing or not accepted): no entry");
  HttpResponse split = status(500);
  split.body.assign(299, 'x').append("\xc3\xa9");
  const Error cut = status_error("h", split);
  EXPECT_TRUE(cut.message.ends_with("xxx"));
}

}  // namespace
}  // namespace loci
