#include "api/request.h"

#include <gtest/gtest.h>

namespace loci {
namespace {

constexpr std::string_view kColours[] = {"red", "green"};
constexpr Field kFields[] = {
    {.name = "text", .help = "a text", .is_required = true},
    {.name = "limit", .type = FieldType::integer, .default_value = "10", .minimum = 1, .maximum = 100},
    {.name = "share", .type = FieldType::number},
    {.name = "quick", .type = FieldType::boolean},
    {.name = "ids", .type = FieldType::text_list},
    {.name = "where", .type = FieldType::object},
    {.name = "output", .type = FieldType::path},
    {.name = "colour", .default_value = "\"red\"", .choices = kColours},
};
constexpr Operation kOperation = {.name = "paint", .summary = "Paint.", .fields = kFields};

Result<Request> make(std::string_view json) { return Request::make(kOperation, parse_json(json, "the test").value()); }

std::string request_error(std::string_view json) {
  const Result<Request> request = make(json);
  if (request.ok()) return "";
  EXPECT_EQ(request.error().kind, ErrorKind::invalid_argument);
  return request.error().message;
}

TEST(RequestTest, HasWhatWasGiven) {
  const Request request =
      make(R"({"text": "t", "limit": 3, "quick": true, "ids": ["a", "b"], "where": {"k": 1}, "output": "f"})").value();
  EXPECT_EQ(request.text("text"), "t");
  EXPECT_EQ(request.required_text("text"), "t");
  EXPECT_EQ(request.required_integer("limit"), 3);
  EXPECT_TRUE(request.flag("quick"));
  EXPECT_EQ(request.texts("ids"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(request.object("where")->at("k"), 1);
  EXPECT_EQ(request.text("output"), "f");
}

TEST(RequestTest, FillsInDefaultsAndTakesNullAsAbsent) {
  const Request request = make(R"({"text": "t", "limit": null, "ids": null})").value();
  EXPECT_EQ(request.required_integer("limit"), 10);
  EXPECT_EQ(request.text("colour"), "red");
  EXPECT_FALSE(request.flag("quick"));
  EXPECT_TRUE(request.texts("ids").empty());
  EXPECT_EQ(request.object("where"), nullptr);
  EXPECT_EQ(request.integer("share"), std::nullopt);
}

TEST(RequestTest, ErrorsNameTheField) {
  EXPECT_EQ(request_error(R"({})"), "text is missing: a text");
  EXPECT_EQ(request_error(R"({"text": null})"), "text is missing: a text");
  EXPECT_EQ(request_error(R"({"text": 1})"), "text must be a text");
  EXPECT_EQ(request_error(R"({"text": "t", "limit": "3"})"), "limit must be a whole number");
  EXPECT_EQ(request_error(R"({"text": "t", "limit": 3.5})"), "limit must be a whole number");
  EXPECT_EQ(request_error(R"({"text": "t", "limit": 18446744073709551615})"), "limit must be a whole number");
  EXPECT_EQ(request_error(R"({"text": "t", "limit": 18446744073709551616})"),
            "limit is too large: the number 18446744073709551616 does not fit into 64 bits");
  EXPECT_EQ(request_error(R"({"text": "t", "where": {"$or": [{"k": {"$in": [-9223372036854775809]}}]}})"),
            "where does not take what is under \"k\": the number -9223372036854775809 does not fit into 64 bits");
  EXPECT_EQ(request_error(R"({"text": "t", "limit": 0})"), "limit is 0; the least is 1");
  EXPECT_EQ(request_error(R"({"text": "t", "limit": 101})"), "limit is 101; the most is 100");
  EXPECT_EQ(request_error(R"({"text": "t", "share": "x"})"), "share must be a number");
  EXPECT_EQ(request_error(R"({"text": "t", "quick": 1})"), "quick must be true or false");
  EXPECT_EQ(request_error(R"({"text": "t", "ids": "a"})"), "ids must be a list of texts");
  EXPECT_EQ(request_error(R"({"text": "t", "ids": [1]})"), "ids must be a list of texts");
  EXPECT_NE(request_error(R"({"text": "t", "where": []})").find("where must be a JSON object"), std::string::npos);
  EXPECT_EQ(request_error(R"({"text": "t", "output": ""})"), "output is empty; give a path");
  EXPECT_EQ(request_error(R"({"text": "t", "colour": "blue"})"), "colour is \"blue\"; it must be red or green");
  EXPECT_EQ(request_error(R"({"text": "t", "limt": 1})"), "paint has no field \"limt\"; did you mean limit?");
  EXPECT_EQ(request_error(R"([])"), "the request must be a JSON object");
}

TEST(RequestTest, TextsAreUtf8WithoutNul) {
  EXPECT_NE(request_error(R"({"text": "a\u0000b"})").find("text has a NUL"), std::string::npos);
  EXPECT_NE(request_error(R"({"text": "t", "ids": ["\u0000"]})").find("ids has a NUL"), std::string::npos);
  EXPECT_NE(request_error(R"({"text": "t", "where": {"a": ["\u0000"]}})").find("where has a NUL"), std::string::npos);
  EXPECT_NE(request_error(R"({"text": "t", "where": {"\u0000": 1}})").find("where has a NUL"), std::string::npos);
  EXPECT_NE(Request::make(kOperation, {{"text", "\xff"}}).error().message.find("not valid UTF-8"), std::string::npos);
}

TEST(RequestSchemaTest, DescribesTheFields) {
  const Json schema = request_schema(kOperation);
  EXPECT_EQ(schema.at("required"), Json::array({"text"}));
  EXPECT_EQ(schema.at("additionalProperties"), false);
  EXPECT_EQ(to_text(schema.at("properties").at("limit"), JsonLayout::one_line),
            R"({"type":"integer","description":"","minimum":1,"maximum":100,"default":10})");
  EXPECT_EQ(to_text(schema.at("properties").at("colour").at("enum"), JsonLayout::one_line), R"(["red","green"])");
  EXPECT_EQ(schema.at("properties").at("ids").at("items").at("type"), "string");
}

}  // namespace
}  // namespace loci
