#include <string>

#include <gtest/gtest.h>

#include "loci/filter.h"
#include "store/contract.h"
#include "store/test_filters.h"

namespace loci {
namespace {

using Op = FilterOperator;

// The error that parsing gives; kind internal when there is none.
Error error_of(std::string_view json) {
  const Result<Filter> filter = parse_filter(json);
  return filter.ok() ? Error{} : filter.error();
}
Error document_error_of(std::string_view json) {
  const Result<DocumentFilter> filter = parse_document_filter(json);
  return filter.ok() ? Error{} : filter.error();
}

TEST(FilterJsonTest, ABareValueMeansEquality) {
  EXPECT_EQ(*parse_filter(R"({"wing": "work"})"), leaf("wing", Op::eq, {std::string("work")}));
  EXPECT_EQ(*parse_filter(R"({"year": 2020})"), leaf("year", Op::eq, {whole(2020)}));
  EXPECT_EQ(*parse_filter(R"({"score": 1.0})"), leaf("score", Op::eq, {1.0}));
  EXPECT_EQ(*parse_filter(R"({"done": false})"), leaf("done", Op::eq, {false}));
}

TEST(FilterJsonTest, EveryOperatorIsRead) {
  for (const Op op : {Op::eq, Op::ne, Op::gt, Op::gte, Op::lt, Op::lte, Op::contains, Op::not_contains}) {
    const std::string json = R"({"k": {")" + std::string(to_string(op)) + R"(": 3}})";
    EXPECT_EQ(*parse_filter(json), leaf("k", op, {whole(3)})) << json;
  }
  EXPECT_EQ(*parse_filter(R"({"k": {"$in": ["a", 1, 2.5, true]}})"),
            leaf("k", Op::in, {std::string("a"), whole(1), 2.5, true}));
  EXPECT_EQ(*parse_filter(R"({"k": {"$nin": []}})"), leaf("k", Op::nin, {}));
}

TEST(FilterJsonTest, SeveralKeysOrOperatorsMeanAllOfThemInOrder) {
  EXPECT_EQ(*parse_filter(R"({"b": 1, "a": 2})"),
            Filter::all_of({leaf("b", Op::eq, {whole(1)}), leaf("a", Op::eq, {whole(2)})}));
  EXPECT_EQ(*parse_filter(R"({"year": {"$gte": 1, "$lt": 5}})"),
            Filter::all_of({leaf("year", Op::gte, {whole(1)}), leaf("year", Op::lt, {whole(5)})}));
  EXPECT_EQ(*parse_filter(R"({"$or": [{"a": 1}, {"b": 2}], "c": 3})"),
            Filter::all_of({Filter::any_of({leaf("a", Op::eq, {whole(1)}), leaf("b", Op::eq, {whole(2)})}),
                            leaf("c", Op::eq, {whole(3)})}));
}

TEST(FilterJsonTest, AnEmptyObjectIsTheEmptyFilter) {
  EXPECT_TRUE(parse_filter("{}")->is_empty());
  EXPECT_TRUE(parse_document_filter(" {} ")->is_empty());
  EXPECT_EQ(to_json(Filter{}), "{}");
  EXPECT_EQ(to_json(DocumentFilter{}), "{}");
}

TEST(FilterJsonTest, AnUnknownOperatorIsNamedAtAnyDepth) {
  for (const char* json : {
           R"({"$regex": "foo"})",
           R"({"k": {"$regex": "foo"}})",
           R"({"a": 1, "k": {"$eq": 1, "$regex": "foo"}})",
           R"({"$and": [{"a": 1}, {"$or": [{"k": {"$regex": "foo"}}]}]})",
           R"({"$and": [{"a": 1}, {"$or": [{"b": 1}, {"$regex": ["foo"]}]}]})",
       }) {
    const Error error = error_of(json);
    EXPECT_EQ(error.kind, ErrorKind::unsupported_filter) << json;
    EXPECT_NE(error.message.find("$regex"), std::string::npos) << error.message;
  }
  for (const char* json : {R"({"$regex": "x"})", R"({"$and": [{"$or": [{"$contains": "a"}, {"$regex": "x"}]}]})"}) {
    const Error error = document_error_of(json);
    EXPECT_EQ(error.kind, ErrorKind::unsupported_filter) << json;
    EXPECT_NE(error.message.find("$regex"), std::string::npos) << error.message;
  }
}

TEST(FilterJsonTest, AnOperatorInTheWrongPlaceIsNamed) {
  const Error top = error_of(R"({"$contains": "words"})");
  EXPECT_EQ(top.kind, ErrorKind::unsupported_filter);
  EXPECT_NE(top.message.find("where_document"), std::string::npos) << top.message;
  EXPECT_EQ(error_of(R"({"$eq": 1})").kind, ErrorKind::unsupported_filter);
  EXPECT_EQ(error_of(R"({"k": {"$and": [{"a": 1}]}})").kind, ErrorKind::unsupported_filter);
  EXPECT_EQ(document_error_of(R"({"$gt": "a"})").kind, ErrorKind::unsupported_filter);
  EXPECT_EQ(document_error_of(R"({"$eq": "a"})").kind, ErrorKind::unsupported_filter);
  EXPECT_EQ(document_error_of(R"({"wing": "a"})").kind, ErrorKind::invalid_argument);
}

TEST(FilterJsonTest, WhatIsNotAFilterIsRefused) {
  for (const char* json : {
           "",
           "nonsense",
           "[]",
           "1",
           "null",
           "\"x\"",
           "{",
           "{}{}",
           "{} x",
           R"({"k": null})",
           R"({"k": [1]})",
           R"({"k": {}})",
           R"({"k": {"inner": 1}})",
           R"({"": 1})",
           R"({"k": {"$eq": [1]}})",
           R"({"k": {"$eq": null}})",
           R"({"k": {"$gt": {"a": 1}}})",
           R"({"k": {"$gt": true}})",
           R"({"k": {"$in": 1}})",
           R"({"k": {"$in": [[1]]}})",
           R"({"k": {"$in": [null]}})",
           R"({"$and": []})",
           R"({"$or": []})",
           R"({"$and": {"a": 1}})",
           R"({"$and": ["a"]})",
           R"({"$or": [{}]})",
           R"({"$and": [{"a": 1}, {}]})",
           R"({"k": 1, "k": 2})",
           R"({"k": {"$eq": 1, "$eq": 2}})",
           R"({"k": 9223372036854775808})",
           R"({"k": -9223372036854775809})",
           R"({"k": 1e999})",
           R"({"k": NaN})",
           R"({"k": "a\u0000b"})",
           R"({"k\u0000": 1})",
           R"({"k": "\ud800"})",
           "{\"k\": \"\xff\"}",
           "{\"\xc0\xaf\": 1}",
       }) {
    EXPECT_EQ(error_of(json).kind, ErrorKind::invalid_argument) << json;
  }
  for (const char* json : {R"({"$contains": 1})", R"({"$contains": ""})", R"({"$contains": ["a"]})",
                           R"({"$contains": "a", "$contains": "b"})", R"({"$or": [{}]})", R"({"$contains": null})"}) {
    EXPECT_EQ(document_error_of(json).kind, ErrorKind::invalid_argument) << json;
  }
}

TEST(FilterJsonTest, NothingAfterANulIsLost) {
  EXPECT_EQ(error_of(std::string_view("{}\0{\"$regex\": 1}", 16)).kind, ErrorKind::invalid_argument);
}

TEST(FilterJsonTest, TheEdgesOfSixtyFourBitsAreIntegers) {
  EXPECT_EQ(*parse_filter(R"({"k": 9223372036854775807})"), leaf("k", Op::eq, {whole(INT64_MAX)}));
  EXPECT_EQ(*parse_filter(R"({"k": -9223372036854775808})"), leaf("k", Op::eq, {whole(INT64_MIN)}));
  EXPECT_EQ(*parse_filter(R"({"k": 1e3})"), leaf("k", Op::eq, {1000.0}));
}

std::string nested(std::size_t levels) {
  std::string json;
  for (std::size_t i = 0; i < levels; ++i) json += R"({"$and":[)";
  json += R"({"k":{"$in":[1]}})";
  for (std::size_t i = 0; i < levels; ++i) json += "]}";
  return json;
}

TEST(FilterJsonTest, NestingHasALimit) {
  EXPECT_TRUE(parse_filter(nested(kMaxFilterDepth - 1)).ok());
  EXPECT_EQ(error_of(nested(kMaxFilterDepth)).kind, ErrorKind::invalid_argument);
  EXPECT_EQ(error_of(nested(100'000)).kind, ErrorKind::invalid_argument);
  EXPECT_EQ(error_of(std::string(1'000'000, '[')).kind, ErrorKind::invalid_argument);
  EXPECT_EQ(error_of(R"({"k":)" + std::string(1'000'000, '[')).kind, ErrorKind::invalid_argument);
}

TEST(FilterJsonTest, SizeHasALimit) {
  const std::string longest = R"({"k":")" + std::string(kMaxFilterJsonBytes - 8, 'x') + R"("})";
  EXPECT_TRUE(parse_filter(longest).ok());
  EXPECT_EQ(error_of(longest + " ").kind, ErrorKind::invalid_argument);
}

TEST(FilterJsonTest, PrintingAndParsingGivesAnEqualFilter) {
  for (const char* json : {
           R"({"wing":"work"})",
           R"({"k":{"$ne":1}})",
           R"({"k":{"$in":["a",1,2.5,true]}})",
           R"({"k":{"$nin":[]}})",
           R"({"$and":[{"a":1},{"b":{"$gt":0.1}}]})",
           R"({"$or":[{"a":1.0},{"$and":[{"b":false}]}]})",
           R"({"ключ":{"$contains":"🦊 \" \\ \n"}})",
           R"({"k":-0.0})",
           R"({"k":5e-324})",
           R"({"k":1.7976931348623157e308})",
       }) {
    const Result<Filter> filter = parse_filter(json);
    ASSERT_TRUE(filter.ok()) << json;
    EXPECT_EQ(*parse_filter(to_json(*filter)), *filter) << to_json(*filter);
  }
  for (const char* json : {R"({"$contains":"a b"})", R"({"$and":[{"$not_contains":"a"},{"$or":[{"$contains":"é"}]}]})",
                           R"({"$contains":"a","$not_contains":"b"})"}) {
    const Result<DocumentFilter> filter = parse_document_filter(json);
    ASSERT_TRUE(filter.ok()) << json;
    EXPECT_EQ(*parse_document_filter(to_json(*filter)), *filter) << to_json(*filter);
  }
}

TEST(FilterJsonTest, PrintingNeverThrows) {
  EXPECT_FALSE(to_json(leaf("\xff", Op::eq, {std::string("\xc0")})).empty());
  EXPECT_FALSE(to_json(leaf("k", Op::gt, {})).empty());
  EXPECT_FALSE(to_json(DocumentFilter::of({.op = static_cast<Op>(99), .text = "\xff"})).empty());
}

}  // namespace
}  // namespace loci
