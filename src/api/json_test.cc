#include "api/json.h"

#include <gtest/gtest.h>

namespace loci {
namespace {

std::string error_of(std::string_view text) {
  const Result<Json> json = parse_json(text, "the text");
  return json.ok() ? "" : json.error().message;
}

TEST(ParseJsonTest, KeepsTheOrderOfKeys) {
  EXPECT_EQ(to_text(parse_json(R"({"b": 1, "a": [true, null, 2.5]})", "x").value(), JsonLayout::one_line),
            R"({"b":1,"a":[true,null,2.5]})");
}

TEST(ParseJsonTest, AnErrorSaysWhere) {
  EXPECT_NE(error_of("{\n  \"a\": 1,\n  oops\n}").find("the text is not usable JSON: line 3, column 3"),
            std::string::npos)
      << error_of("{\n  \"a\": 1,\n  oops\n}");
  EXPECT_NE(error_of("").find("line 1, column 1"), std::string::npos) << error_of("");
  EXPECT_NE(error_of("{} {}").find("line 1, column 4"), std::string::npos) << error_of("{} {}");
}

TEST(ParseJsonTest, AKeyThatStandsTwiceIsAnError) {
  EXPECT_NE(error_of(R"({"a": 1, "a": 2})").find("\"a\" stands there twice"), std::string::npos);
  EXPECT_NE(error_of(R"([{"x": {"b": 1, "b": 1}}])").find("\"b\""), std::string::npos);
  EXPECT_EQ(error_of(R"({"a": {"a": 1}, "b": {"a": 1}})"), "");
}

TEST(ParseJsonTest, DeepNestingIsRefused) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(error_of(nested(kMaxJsonDepth)), "");
  EXPECT_NE(error_of(nested(kMaxJsonDepth + 2)), "");
  EXPECT_NE(error_of(nested(1'000'000)), "");
  EXPECT_NE(error_of(std::string(1'000'000, '{')), "");
}

TEST(ParseJsonTest, BytesThatAreNoTextAreErrorsAndNotExceptions) {
  for (const std::string& text : {std::string("\xff"), std::string("\"\xc3\""), std::string("\0", 1),
                                  std::string("1e999"), std::string("\"\\ud800\"")}) {
    EXPECT_NE(error_of(text), "") << text;
  }
}

TEST(ToTextTest, WritesJsonWhateverTheBytesAre) {
  EXPECT_EQ(to_text(Json("a\xff"), JsonLayout::one_line), "\"a\xEF\xBF\xBD\"");
}

TEST(ParseJsonTest, ANumberThatNothingHoldsIsNamedInOurWords) {
  EXPECT_EQ(parse_json(R"({"a": 1e400})", "--where").error().message,
            "--where is not usable JSON: it has a number that is too large");
}

TEST(TextBytesTest, NoTextIsLonger) {
  const Json json = {{"text", "a \"quoted\" line\n\x01, \\ and 東京"},
                     {"numbers", {1, -2.2250738585072014e-308, 1e300}},
                     {"none", nullptr},
                     {"yes", true},
                     {"empty", Json::array()},
                     {"inner", {{"a", Json::object()}}}};
  const std::size_t bytes = to_text(json, JsonLayout::one_line).size();
  EXPECT_GE(text_bytes(json), bytes);
  EXPECT_LE(text_bytes(json), bytes + 80) << "two short numbers and an escape";
  EXPECT_EQ(text_bytes("plain"), to_text("plain", JsonLayout::one_line).size());
}

}  // namespace
}  // namespace loci
