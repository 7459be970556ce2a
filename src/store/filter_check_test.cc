#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "store/contract.h"
#include "store/test_filters.h"

namespace loci {
namespace {

using Op = FilterOperator;

Filter is_one(std::string key) { return leaf(std::move(key), Op::eq, {std::int64_t{1}}); }

// The same filter at several depths.
std::vector<Filter> at_several_depths(const Filter& part) {
  return {part, Filter::all_of({is_one("a"), part}),
          Filter::any_of({Filter::all_of({is_one("a"), part}), is_one("b")})};
}

TEST(FilterCheckTest, AFilterMadeByCodeMayUseEveryOperator) {
  for (const Op op : {Op::eq, Op::ne, Op::gt, Op::gte, Op::lt, Op::lte, Op::contains, Op::not_contains}) {
    EXPECT_TRUE(check_filter(leaf("k", op, {std::string("v")})).ok()) << to_string(op);
  }
  EXPECT_TRUE(check_filter(leaf("k", Op::in, {})).ok());
  EXPECT_TRUE(check_filter(leaf("k", Op::nin, {std::string("v"), 1.5, true, std::int64_t{1}})).ok());
  EXPECT_TRUE(check_filter(Filter{}).ok());
  EXPECT_TRUE(check_filter(DocumentFilter{}).ok());
}

TEST(FilterCheckTest, AnOperatorOutsideTheEnumIsUnsupportedAtAnyDepth) {
  for (const Filter& filter : at_several_depths(leaf("k", static_cast<Op>(42), {std::int64_t{1}}))) {
    EXPECT_EQ(kind_of(check_filter(filter)), ErrorKind::unsupported_filter);
  }
  EXPECT_EQ(kind_of(check_filter(DocumentFilter::of({.op = static_cast<Op>(42), .text = "a"}))),
            ErrorKind::unsupported_filter);
  Filter strange = Filter::all_of({is_one("a")});
  strange.kind = static_cast<Filter::Kind>(7);
  for (const Filter& filter : at_several_depths(strange)) {
    EXPECT_EQ(kind_of(check_filter(filter)), ErrorKind::unsupported_filter);
  }
}

TEST(FilterCheckTest, AnOperatorThatDocumentsLackIsUnsupported) {
  for (const Op op : {Op::eq, Op::ne, Op::in, Op::nin, Op::gt, Op::gte, Op::lt, Op::lte}) {
    const Status status = check_filter(DocumentFilter::all_of({DocumentFilter::of({.op = op, .text = "a"})}));
    EXPECT_EQ(kind_of(status), ErrorKind::unsupported_filter);
    EXPECT_NE(status.error().message.find(to_string(op)), std::string::npos) << status.error().message;
  }
}

TEST(FilterCheckTest, ARangeIsUnsupportedWhereTheBackendSaysSo) {
  const FilterLimits limits{.range = RangeFilters::refused};
  for (const Op op : {Op::gt, Op::gte, Op::lt, Op::lte}) {
    EXPECT_EQ(kind_of(check_filter(leaf("k", op, {1.0}), limits)), ErrorKind::unsupported_filter);
  }
  EXPECT_TRUE(check_filter(is_one("k"), limits).ok());
  BackendInfo info;
  EXPECT_EQ(filter_limits(info).range, RangeFilters::refused);
  info.capabilities.emplace(capability::kRangeFilters);
  EXPECT_EQ(filter_limits(info).range, RangeFilters::accepted);
}

TEST(FilterCheckTest, WrongOperandsAreRefused) {
  for (const Filter& filter : {
           leaf("k", Op::eq, {}),
           leaf("k", Op::eq, {std::int64_t{1}, std::int64_t{2}}),
           leaf("k", Op::eq, {std::vector<std::string>{"a"}}),
           leaf("k", Op::in, {std::vector<bool>{true}}),
           leaf("k", Op::eq, {std::nan("")}),
           leaf("k", Op::lt, {std::numeric_limits<double>::infinity()}),
           leaf("k", Op::gt, {true}),
           leaf("k", Op::eq, {std::string("a\0b", 3)}),
           leaf("k", Op::eq, {std::string("\xff")}),
           leaf("", Op::eq, {true}),
           leaf("\xff", Op::eq, {true}),
       }) {
    for (const Filter& deep : at_several_depths(filter)) {
      EXPECT_EQ(kind_of(check_filter(deep)), ErrorKind::invalid_argument) << to_json(filter);
    }
  }
  EXPECT_EQ(kind_of(check_filter(leaf("$k", Op::eq, {true}))), ErrorKind::unsupported_filter);
  for (const char* text : {"", "\xff"}) {
    EXPECT_EQ(kind_of(check_filter(DocumentFilter::of({.op = Op::contains, .text = text}))),
              ErrorKind::invalid_argument);
  }
}

TEST(FilterCheckTest, AnEmptyPartIsRefused) {
  EXPECT_EQ(kind_of(check_filter(Filter::any_of({}))), ErrorKind::invalid_argument);
  EXPECT_EQ(kind_of(check_filter(Filter::all_of({Filter{}}))), ErrorKind::invalid_argument);
  EXPECT_EQ(kind_of(check_filter(Filter::any_of({is_one("a"), Filter{}}))), ErrorKind::invalid_argument);
  Filter both = is_one("a");
  both.children.push_back(is_one("b"));
  EXPECT_EQ(kind_of(check_filter(both)), ErrorKind::invalid_argument);
}

TEST(FilterCheckTest, SizeIsBounded) {
  Filter deep = is_one("a");
  for (std::size_t depth = 1; depth < kMaxFilterDepth; ++depth) deep = Filter::all_of({deep});
  EXPECT_TRUE(check_filter(deep).ok());
  EXPECT_EQ(kind_of(check_filter(Filter::all_of({deep}))), ErrorKind::invalid_argument);

  std::vector<Filter> many(kMaxFilterConditions, is_one("a"));
  EXPECT_TRUE(check_filter(Filter::any_of(many)).ok());
  many.push_back(is_one("a"));
  EXPECT_EQ(kind_of(check_filter(Filter::any_of(many))), ErrorKind::invalid_argument);

  std::vector<MetadataValue> operands(kMaxFilterOperands, MetadataValue(std::int64_t{1}));
  EXPECT_TRUE(check_filter(leaf("k", Op::in, operands)).ok());
  EXPECT_EQ(kind_of(check_filter(Filter::all_of({leaf("k", Op::in, operands), is_one("a")}))),
            ErrorKind::invalid_argument);
}

}  // namespace
}  // namespace loci
