#include "store/embedded/jsonb.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "store/embedded/sqlite.h"

namespace loci::embedded {
namespace {

Metadata of_all_types() {
  return {{"text", "words"},
          {"empty", ""},
          {"quote\"d key", std::string(300, 'x')},
          {"long", std::string(70'000, 'y')},
          {"emoji", "🏛️"},
          {"smallest", std::numeric_limits<std::int64_t>::min()},
          {"largest", std::numeric_limits<std::int64_t>::max()},
          {"whole real", 1.0},
          {"tiny", 5e-324},
          {"huge", -1.7976931348623157e308},
          {"yes", true},
          {"no", false},
          {"texts", std::vector<std::string>{"a", "", "b"}},
          {"integers", std::vector<std::int64_t>{1, -2}},
          {"reals", std::vector<double>{1.0, 0.1}},
          {"booleans", std::vector<bool>{true, false}}};
}

TEST(JsonbTest, EveryTypeComesBackAsItWas) {
  const Metadata metadata = of_all_types();
  const Result<Metadata> back = decode_metadata(encode_metadata(metadata));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(*back, metadata);
}

TEST(JsonbTest, NegativeZeroKeepsItsSign) {
  const Result<Metadata> back = decode_metadata(encode_metadata({{"zero", -0.0}}));
  ASSERT_TRUE(back.ok());
  EXPECT_TRUE(std::signbit(std::get<double>(back->at("zero"))));
}

TEST(JsonbTest, SqliteReadsWhatWeWrite) {
  const Result<std::unique_ptr<Connection>> connection = open_connection(":memory:", OpenMode::read_write_create);
  ASSERT_TRUE(connection.ok());
  const Jsonb blob =
      encode_metadata({{"a", "x\"y\n"}, {"b", std::vector<std::int64_t>{1, 2}}, {"c", 2.0}, {"d", true}});
  Result<Statement> select = (*connection)->prepare("SELECT json(?1), json_valid(?1, 8)");
  ASSERT_TRUE(select.ok());
  ASSERT_TRUE(*select->bind_blob(1, blob).step());
  EXPECT_EQ(select->text(0), R"({"a":"x\"y\n","b":[1,2],"c":2.0,"d":true})");
  EXPECT_EQ(select->integer(1), 1);
}

Metadata placed() {
  return {{"chunk_index", 3}, {"line_start", 10}, {"line_end", 31}, {"byte_start", 2'100}, {"byte_end", 2'893}};
}

TEST(JsonbTest, WhereAMinedRecordStandsIsOneList) {
  Metadata metadata = placed();
  metadata.emplace("tag", "x");
  const Jsonb own = encode_own(metadata, {{"wing", "w"}});
  EXPECT_EQ(decode_merged(own, encode_metadata({{"wing", "w"}})).value(), metadata);
  for (const auto& [key, value] : metadata) EXPECT_EQ(find_value(own, {}, key), value) << key;
  EXPECT_LT(encode_own(placed(), {}).size(), 30U);
}

TEST(JsonbTest, PositionsWithTheirNamesAreReadToo) {
  EXPECT_EQ(decode_merged(encode_metadata(placed()), {}).value(), placed());
}

TEST(JsonbTest, WhatIsNoWholePositionKeepsItsNames) {
  Metadata partly = placed();
  partly.erase("line_end");
  Metadata other_type = placed();
  other_type["byte_end"] = "2893";
  for (const Metadata& metadata : {partly, other_type}) {
    EXPECT_EQ(encode_own(metadata, {}), encode_metadata(metadata));
    EXPECT_EQ(decode_merged(encode_own(metadata, {}), {}).value(), metadata);
  }
  const Metadata shared = {{"byte_end", 1}};
  EXPECT_EQ(decode_merged(encode_own(placed(), shared), encode_metadata(shared)).value(), placed());
}

TEST(JsonbTest, AListOfPositionsThatIsCutIsDamage) {
  const Jsonb whole = encode_own(placed(), {});
  for (std::size_t size = 1; size < whole.size(); ++size)
    EXPECT_FALSE(decode_merged(std::span(whole).first(size), {}).ok()) << size;
  const Jsonb short_list = {0x5c, 0x0a, 0x3b, 0x13, '1', 0x13};  // {"": [1, and no number]}
  EXPECT_FALSE(decode_merged(short_list, {}).ok());
}

TEST(JsonbTest, WhatTheSourceSharesIsLeftOutAndMergedBack) {
  const Metadata shared = {{"wing", "w"}, {"source_file", "/a"}, {"only shared", 1}};
  const Metadata metadata = {{"wing", "w"}, {"source_file", "/b"}, {"line", 7}};
  const Jsonb own = encode_own(metadata, shared);
  const Result<Metadata> back = decode_merged(own, encode_metadata(shared));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(*back, metadata);
  EXPECT_FALSE(find_value(own, {}, "wing").has_value()) << "the shared pair is not stored again";
}

TEST(JsonbTest, FindsOneValueInOwnBeforeShared) {
  const Metadata shared = {{"wing", "w"}, {"room", "r"}, {"gone", "g"}};
  const Metadata metadata = {{"wing", "w"}, {"room", "other"}};
  const Jsonb own = encode_own(metadata, shared);
  const Jsonb common = encode_metadata(shared);
  EXPECT_EQ(find_value(own, common, "wing"), MetadataValue("w"));
  EXPECT_EQ(find_value(own, common, "room"), MetadataValue("other"));
  EXPECT_EQ(find_value(own, common, "gone"), std::nullopt);
  EXPECT_EQ(find_value(own, common, "never"), std::nullopt);
}

TEST(JsonbTest, DamageIsAnErrorAtEveryByte) {
  const Jsonb whole = encode_metadata({{"a", "text"}, {"b", 12}, {"c", std::vector<std::string>{"d", "e"}}});
  for (std::size_t size = 1; size < whole.size(); ++size) {
    EXPECT_FALSE(decode_metadata(JsonbView(whole).first(size)).ok()) << "cut at " << size;
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    Jsonb flipped = whole;
    flipped[at] ^= 0xff;
    (void)decode_metadata(flipped);  // an error or another map, never a crash
    (void)find_value(flipped, flipped, "c");
  }
}

TEST(JsonbTest, CommonPairsAreThoseThatAllHave) {
  const Metadata a = {{"wing", "w"}, {"n", 1}, {"x", true}};
  const Metadata b = {{"wing", "w"}, {"n", 2}};
  EXPECT_EQ(common_pairs(std::vector<const Metadata*>{&a, &b}), (Metadata{{"wing", "w"}}));
  EXPECT_EQ(common_pairs({}), Metadata{});
}

}  // namespace
}  // namespace loci::embedded
