#include "http/mcp_headers.h"

#include <gtest/gtest.h>

namespace loci::http {
namespace {

mcp::Message message(std::string_view method, Json params) {
  params["_meta"] = {{std::string(mcp::kVersionKey), mcp::kModernVersion}};
  return {.id = 1, .method = std::string(method), .params = std::move(params)};
}

int code_of(Headers headers, const mcp::Message& asked) {
  const auto error = check_standard_headers({.headers = std::move(headers)}, asked);
  return error ? error->code : 0;
}

constexpr const char* kVersion = "2026-07-28";

TEST(McpHeadersTest, TakesHeadersThatRepeatTheBody) {
  EXPECT_EQ(code_of({{"mcp-protocol-version", kVersion}, {"mcp-method", "tools/list"}}, message("tools/list", {})), 0);
  EXPECT_EQ(code_of({{"mcp-protocol-version", kVersion}, {"mcp-method", "tools/call"}, {"mcp-name", "search"}},
                    message("tools/call", {{"name", "search"}})),
            0);
  EXPECT_EQ(
      code_of({{"mcp-protocol-version", kVersion}, {"mcp-method", "resources/read"}, {"mcp-name", "=?base64?w6Q=?="}},
              message("resources/read", {{"uri", "ä"}})),
      0);
}

TEST(McpHeadersTest, RefusesHeadersThatAreMissingOrDiffer) {
  const mcp::Message list = message("tools/list", {});
  const mcp::Message call = message("tools/call", {{"name", "search"}});
  EXPECT_EQ(code_of({{"mcp-method", "tools/list"}}, list), mcp::kHeaderMismatch);
  EXPECT_EQ(code_of({{"mcp-protocol-version", "2025-11-25"}, {"mcp-method", "tools/list"}}, list),
            mcp::kHeaderMismatch);
  EXPECT_EQ(code_of({{"mcp-protocol-version", kVersion}}, list), mcp::kHeaderMismatch);
  EXPECT_EQ(code_of({{"mcp-protocol-version", kVersion}, {"mcp-method", "TOOLS/LIST"}}, list), mcp::kHeaderMismatch);
  EXPECT_EQ(code_of({{"mcp-protocol-version", kVersion}, {"mcp-method", "tools/call"}}, call), mcp::kHeaderMismatch);
  EXPECT_EQ(code_of({{"mcp-protocol-version", kVersion}, {"mcp-method", "tools/call"}, {"mcp-name", "add"}}, call),
            mcp::kHeaderMismatch);
  EXPECT_EQ(
      code_of({{"mcp-protocol-version", kVersion}, {"mcp-method", "tools/call"}, {"mcp-name", "=?base64?*?="}}, call),
      mcp::kHeaderMismatch);
}

TEST(McpHeadersTest, DecodesWhatNoHeaderCanHold) {
  EXPECT_EQ(decode_header_value("plain"), "plain");
  EXPECT_EQ(decode_header_value("=?base64?YQ==?="), "a");
  EXPECT_EQ(decode_header_value("=?base64?YWI=?="), "ab");
  EXPECT_EQ(decode_header_value("=?base64?YWJj?="), "abc");
  EXPECT_EQ(decode_header_value("=?base64?"
                                "?="),
            "");
  EXPECT_EQ(decode_header_value("=?base64?YWJ?="), std::nullopt);
  EXPECT_EQ(decode_header_value("=?base64?Y**j?="), std::nullopt);
}

TEST(McpHeadersTest, KnowsWhatAClientTakes) {
  EXPECT_TRUE(accepts({}, "application/json"));
  EXPECT_TRUE(accepts({.headers = {{"accept", "text/html, */*;q=0.1"}}}, "application/json"));
  EXPECT_TRUE(accepts({.headers = {{"accept", "application/*"}}}, "application/json"));
  EXPECT_TRUE(accepts({.headers = {{"accept", "text/html"}, {"accept", "Application/JSON"}}}, "application/json"));
  EXPECT_FALSE(accepts({.headers = {{"accept", "text/event-stream"}}}, "application/json"));
}

TEST(McpHeadersTest, WantsJsonInAndTakesBothFormsOut) {
  const auto status = [](Headers headers) {
    const auto refusal = check_media_types({.headers = std::move(headers)});
    return refusal ? refusal->status : 0;
  };
  EXPECT_EQ(status({{"content-type", "application/json; charset=utf-8"}}), 0);
  EXPECT_EQ(status({{"content-type", "text/plain"}}), 415);
  EXPECT_EQ(status({}), 415);
  EXPECT_EQ(status({{"content-type", "application/json"}, {"accept", "application/json"}}), 406);
}

}  // namespace
}  // namespace loci::http
