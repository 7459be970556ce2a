#include "net/url.h"

#include <gtest/gtest.h>

namespace loci {
namespace {

TEST(UrlTest, HasSchemeHostPortAndTarget) {
  EXPECT_EQ(*parse_url("http://localhost:11434/api/embed?x=1"), (Url{false, "localhost", 11434, "/api/embed?x=1"}));
  EXPECT_EQ(*parse_url("https://api.example.com"), (Url{true, "api.example.com", 443, "/"}));
  EXPECT_EQ(*parse_url("http://h?q"), (Url{false, "h", 80, "/?q"}));
  EXPECT_EQ(*parse_url("http://[::1]:8080/"), (Url{false, "::1", 8080, "/"}));
}

TEST(UrlTest, WhatIsNoAddressIsAnErrorThatSaysWhy) {
  for (const char* text : {"", "localhost:11434", "ftp://h/", "http://", "http:///x", "http://h:0", "http://h:65536",
                           "http://h:", "http://h:8x", "http://[::1", "http://[]", "http://[::1]x", "http://h/a b",
                           "http://h/\r\nX: y", "http://user:key@h/", "http://h/#top", "http://\xc3\xa9/"}) {
    const Result<Url> url = parse_url(text);
    ASSERT_FALSE(url.ok()) << text;
    EXPECT_EQ(url.error().kind, ErrorKind::invalid_argument) << text;
  }
}

TEST(UrlTest, AnAddressWithAKeyIsNotRepeated) {
  EXPECT_EQ(parse_url("http://user:secret@h/").error().message.find("secret"), std::string::npos);
}

TEST(UrlTest, TheHostHeaderLeavesTheUsualPortOut) {
  EXPECT_EQ(host_header(*parse_url("http://h:80/")), "h");
  EXPECT_EQ(host_header(*parse_url("http://h:443/")), "h:443");
  EXPECT_EQ(host_header(*parse_url("https://[::1]:1/")), "[::1]:1");
}

TEST(UrlTest, PathsAreJoinedWithOneSlash) {
  EXPECT_EQ(join_url("http://h", "/v1"), "http://h/v1");
  EXPECT_EQ(join_url("http://h/base//", "/v1"), "http://h/base/v1");
}

}  // namespace
}  // namespace loci
