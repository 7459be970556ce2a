#include "http/reply_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loci::http {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(ReplyTextTest, SaysHowLongTheBodyIs) {
  const std::string text = reply_text(json_reply(200, "{}"), {});
  EXPECT_THAT(text, StartsWith("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"));
  EXPECT_THAT(text, HasSubstr("\r\ncontent-length: 2\r\n"));
  EXPECT_THAT(text, EndsWith("\r\n\r\n{}"));
}

TEST(ReplyTextTest, LeavesTheBodyOutWhenOnlyTheHeadWasAskedFor) {
  EXPECT_THAT(reply_text(json_reply(200, "{}"), {.is_head_request = true}), EndsWith("\r\n\r\n"));
}

TEST(ReplyTextTest, BeginsAStreamWithoutALength) {
  const std::string text = reply_text({}, {.is_stream = true, .is_chunked = true});
  EXPECT_THAT(text, HasSubstr("transfer-encoding: chunked\r\n"));
  EXPECT_THAT(text, Not(HasSubstr("content-length")));
}

TEST(ReplyTextTest, CannotBeMadeToWriteASecondHeader) {
  const Reply reply = {.headers = {{"mcp-session-id", "a\r\nset-cookie: b"}, {"x\ny", "z"}, {"good", "value"}}};
  const std::string text = reply_text(reply, {});
  EXPECT_THAT(text, Not(HasSubstr("set-cookie")));
  EXPECT_THAT(text, Not(HasSubstr("y: z")));
  EXPECT_THAT(text, HasSubstr("good: value\r\n"));
}

}  // namespace
}  // namespace loci::http
