#include "api/record_json.h"

#include <gtest/gtest.h>

namespace loci {
namespace {

Result<Metadata> parse(std::string_view json) { return metadata_from_json(parse_json(json, "the test").value()); }

TEST(RecordJsonTest, MetadataComesBackAsItWas) {
  const std::string text =
      R"({"b":true,"bs":[true,false],"d":1.5,"ds":[1.5,2.0],"i":-3,"is":[1,2],"s":"x","ss":["a","b"]})";
  EXPECT_EQ(to_text(to_json(parse(text).value()), JsonLayout::one_line), text);
}

TEST(RecordJsonTest, TypesAreKeptApart) {
  const Metadata metadata = parse(R"({"one": 1, "text": "1", "real": 1.0, "mixed": [1, 2.5], "none": []})").value();
  EXPECT_EQ(metadata.at("one"), MetadataValue(std::int64_t{1}));
  EXPECT_EQ(metadata.at("text"), MetadataValue(std::string("1")));
  EXPECT_EQ(metadata.at("real"), MetadataValue(1.0));
  EXPECT_EQ(metadata.at("mixed"), MetadataValue(std::vector<double>{1, 2.5}));
  EXPECT_EQ(metadata.at("none"), MetadataValue(std::vector<std::string>{}));
}

TEST(RecordJsonTest, WhatIsNoMetadataIsRefusedByItsKey) {
  for (const char* json : {R"({"k": null})", R"({"k": {}})", R"({"k": [1, "a"]})", R"({"k": [[1]]})",
                           R"({"k": [null]})", R"({"k": 18446744073709551615})", R"({"k": [true, 1]})"}) {
    const Result<Metadata> metadata = parse(json);
    ASSERT_FALSE(metadata.ok()) << json;
    EXPECT_EQ(metadata.error().kind, ErrorKind::invalid_argument);
    EXPECT_NE(metadata.error().message.find("\"k\""), std::string::npos);
  }
}

TEST(RecordJsonTest, AnIntegerThatIsTooLongIsRefusedAsSuch) {
  for (const char* json : {R"({"k": 9223372036854775808})", R"({"k": [1, 9223372036854775808]})",
                           R"({"k": [1.5, 9223372036854775808]})"}) {
    const Result<Metadata> metadata = parse(json);
    ASSERT_FALSE(metadata.ok()) << json;
    EXPECT_EQ(metadata.error().message,
              "the metadata under \"k\": the number 9223372036854775808 does not fit into 64 bits");
  }
}

TEST(RecordJsonTest, ADrawerHasItsPlaceOutside) {
  const Record record = {
      .id = "a", .document = "text", .metadata = {{"wing", std::string("shop")}, {"room", std::int64_t{1}}}};
  EXPECT_EQ(to_text(drawer_to_json(record), JsonLayout::one_line),
            R"({"id":"a","wing":"shop","room":null,"source":null,"filed_at":null,"document":"text",)"
            R"("metadata":{"room":1,"wing":"shop"}})");
}

TEST(RecordJsonTest, APlainDrawerHasNoMetadata) {
  const Record record = {.id = "a", .document = "text", .metadata = {{"wing", std::string("shop")}}};
  const Json plain = drawer_to_json(record, DrawerParts::plain);
  EXPECT_EQ(plain.at("wing"), "shop");
  EXPECT_FALSE(plain.contains("metadata"));
}

TEST(RecordJsonTest, AMinedDrawerHasTheHashOfItsText) {
  Record record = {.id = "a", .document = "text"};
  record.details.emplace().key = UniqueKey{.source = "s", .content_hash = "ab", .occurrence = 0};
  EXPECT_EQ(drawer_to_json(record).at("content_hash"), "ab");
  record.details->key.reset();
  EXPECT_FALSE(drawer_to_json(record).contains("content_hash"));
}

}  // namespace
}  // namespace loci
