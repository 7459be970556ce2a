#include "store/chroma/server_filter.h"

#include <gtest/gtest.h>

namespace loci::chroma {
namespace {

Json where(std::string_view filter) { return server_where(*parse_filter(filter)); }
Json where_document(std::string_view filter) { return server_where_document(*parse_document_filter(filter)); }

TEST(ServerFilterTest, StringsAndBooleansAreComparedByTheServer) {
  EXPECT_EQ(where(R"({"wing": "work"})"), Json::parse(R"({"wing": {"$eq": "work"}})"));
  EXPECT_EQ(where(R"({"flag": {"$ne": true}})"), Json::parse(R"({"flag": {"$ne": true}})"));
}

TEST(ServerFilterTest, NumbersEqualNumbersOfTheOtherType) {
  EXPECT_EQ(where(R"({"n": 1})"), Json::parse(R"({"$and": [{"n": {"$gte": 1}}, {"n": {"$lte": 1}}]})"));
  EXPECT_EQ(where(R"({"n": {"$ne": 1}})"), Json()) << "the server would keep 1.0";
}

TEST(ServerFilterTest, AFractionThatTheServerCutsOffLeavesNoIntegerOut) {
  EXPECT_EQ(where(R"({"n": {"$lt": 2.5}})"), Json::parse(R"({"n": {"$lte": 2.5}})")) << "2 is below, and not below 2";
  EXPECT_EQ(where(R"({"n": {"$gt": -3.5}})"), Json::parse(R"({"n": {"$gte": -3.5}})"));
  EXPECT_EQ(where(R"({"n": {"$lt": 2.0}})"), Json::parse(R"({"n": {"$lt": 2.0}})"));
  EXPECT_EQ(where(R"({"n": {"$gt": -3}})"), Json::parse(R"({"n": {"$gt": -3}})"));
}

TEST(ServerFilterTest, WhatTheServerDoesNotKnowLeavesNothingOut) {
  for (const char* filter : {R"({"n": {"$gt": "text"}})", R"({"tags": {"$contains": "x"}})",
                             R"({"n": 9007199254740993})", R"({"k": {"$nin": ["a"]}})", R"({"k": {"$in": []}})"}) {
    EXPECT_EQ(where(filter), Json()) << filter;
  }
}

TEST(ServerFilterTest, AListOfSeveralTypesBecomesAnOr) {
  EXPECT_EQ(where(R"({"k": {"$in": ["a", true]}})"),
            Json::parse(R"({"$or": [{"k": {"$eq": "a"}}, {"k": {"$eq": true}}]})"));
}

TEST(ServerFilterTest, AnAndDropsWhatTheServerDoesNotKnowAndAnOrGivesUp) {
  EXPECT_EQ(where(R"({"$and": [{"a": "x"}, {"tags": {"$contains": "y"}}]})"), Json::parse(R"({"a": {"$eq": "x"}})"));
  EXPECT_EQ(where(R"({"$or": [{"a": "x"}, {"tags": {"$contains": "y"}}]})"), Json());
}

TEST(ServerFilterTest, OfDocumentsOnlyContainsIsSent) {
  EXPECT_EQ(where_document(R"({"$and": [{"$contains": "a"}, {"$not_contains": "b"}]})"),
            Json::parse(R"({"$contains": "a"})"));
  EXPECT_EQ(where_document(R"({"$or": [{"$contains": "a"}, {"$not_contains": "b"}]})"), Json());
}

}  // namespace
}  // namespace loci::chroma
