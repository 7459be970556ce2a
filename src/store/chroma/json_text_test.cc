#include "store/chroma/json_text.h"

#include <cmath>

#include <gtest/gtest.h>

namespace loci::chroma {
namespace {

TEST(JsonTextTest, ChangesKeepTheirTypes) {
  const auto changes = parse_metadata_changes(
      R"({"s":"x","i":1,"f":1.5,"b":true,"gone":null,"list":["a","b"],"numbers":[1,2.5],"odd":{"a":1},"mixed":[1,"a"]})");
  ASSERT_TRUE(changes);
  EXPECT_EQ(*changes, (MetadataChanges{{"s", std::string("x")},
                                       {"i", std::int64_t{1}},
                                       {"f", 1.5},
                                       {"b", true},
                                       {"gone", std::nullopt},
                                       {"list", std::vector<std::string>{"a", "b"}},
                                       {"numbers", std::vector<double>{1, 2.5}}}));
}

TEST(JsonTextTest, NumbersThatOnlyPythonWritesAreRead) {
  const auto changes = parse_metadata_changes(R"({"a": NaN, "b": -Infinity, "c": "NaN", "d": "\"NaN", "e": Infinity})");
  ASSERT_TRUE(changes);
  EXPECT_TRUE(std::isnan(std::get<double>(*changes->at("a"))));
  EXPECT_EQ(std::get<double>(*changes->at("b")), -HUGE_VAL);
  EXPECT_EQ(std::get<std::string>(*changes->at("c")), "NaN");
  EXPECT_EQ(std::get<std::string>(*changes->at("d")), "\"NaN");
  EXPECT_EQ(std::get<double>(*changes->at("e")), HUGE_VAL);
}

TEST(JsonTextTest, WhatIsNoObjectIsNothing) {
  std::vector<std::string> texts{"", "[]", "{", "\xff"};
  texts.emplace_back(100'000, '[');
  texts.push_back("{\"a\":" + texts.back());
  for (const std::string& text : texts) {
    EXPECT_FALSE(parse_metadata_changes(text).has_value()) << text.substr(0, 20);
  }
}

TEST(JsonTextTest, ChangesAreWrittenAsTheyAreRead) {
  const MetadataChanges changes{
      {"s", std::string("ü\n")}, {"i", std::int64_t{-1}}, {"b", false}, {"gone", std::nullopt}};
  EXPECT_EQ(parse_metadata_changes(to_json(changes)), changes);
}

constexpr const char* kOldConfiguration =
    R"({"hnsw_configuration":{"space":"l2"},"_type":"CollectionConfigurationInternal"})";

TEST(JsonTextTest, TheSchemaIsBelievedFirst) {
  const char* schema = R"({"defaults":{"float_list":{"vector_index":{"config":{"space":"l2"}}}},
      "keys":{"#embedding":{"float_list":{"vector_index":{"config":{"space":"ip","hnsw":{"max_neighbors":8}}}}}}})";
  const Space space = resolve_space({.schema = schema, .configuration = "{}", .metadata_space = "cosine"});
  EXPECT_EQ(space.metric, DistanceMetric::ip);
  EXPECT_EQ(space.neighbours, 8U);
  const char* defaults = R"({"defaults":{"float_list":{"vector_index":{"config":{"space":"cosine"}}}},"keys":{}})";
  EXPECT_EQ(resolve_space({.schema = defaults, .configuration = "{}"}).metric, DistanceMetric::cosine);
  EXPECT_EQ(resolve_space({.schema = "null", .configuration = configuration_for(DistanceMetric::ip)}).metric,
            DistanceMetric::ip);
}

TEST(JsonTextTest, AConfigurationOfDefaultsGivesWayToTheMetadata) {
  const Space space = resolve_space({.configuration = configuration_for(DistanceMetric::l2),
                                     .segment_space = "cosine",
                                     .segment_has_settings = true});
  EXPECT_EQ(space.metric, DistanceMetric::cosine);
  EXPECT_TRUE(space.is_contradicted);
  EXPECT_EQ(resolve_space({.configuration = configuration_for(DistanceMetric::cosine), .segment_space = "l2"}).metric,
            DistanceMetric::cosine);
}

TEST(JsonTextTest, TheConfigurationOfOldReleasesIsIgnored) {
  const Space space = resolve_space({.configuration = kOldConfiguration, .metadata_space = "cosine"});
  EXPECT_EQ(space.metric, DistanceMetric::cosine);
  EXPECT_TRUE(space.is_contradicted);
  EXPECT_FALSE(resolve_space({.configuration = kOldConfiguration, .metadata_space = "l2"}).is_contradicted);
}

TEST(JsonTextTest, WithoutAWordItIsSquaredDistance) {
  EXPECT_EQ(resolve_space({}).metric, DistanceMetric::l2);
  EXPECT_EQ(resolve_space({.schema = "{", .configuration = "\xff", .metadata_space = "no such"}).metric,
            DistanceMetric::l2);
}

}  // namespace
}  // namespace loci::chroma
