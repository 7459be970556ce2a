#include "loci/filter.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "store/test_filters.h"

namespace loci {
namespace {

using Op = FilterOperator;

bool holds(Op op, std::vector<MetadataValue> operands, const MetadataValue& value) {
  const Condition condition{.key = "k", .op = op, .operands = std::move(operands)};
  return matches(condition, &value);
}
bool holds_without_key(Op op, std::vector<MetadataValue> operands) {
  return matches(Condition{.key = "k", .op = op, .operands = std::move(operands)}, nullptr);
}
MetadataValue text(const char* value) { return std::string(value); }
MetadataValue real(double value) { return value; }

TEST(FilterTest, TypesAreComparedAsTypes) {
  EXPECT_TRUE(holds(Op::eq, {whole(1)}, whole(1)));
  EXPECT_TRUE(holds(Op::eq, {whole(1)}, real(1.0)));
  EXPECT_TRUE(holds(Op::eq, {real(1.0)}, whole(1)));
  EXPECT_FALSE(holds(Op::eq, {whole(1)}, text("1")));
  EXPECT_FALSE(holds(Op::eq, {text("1")}, whole(1)));
  EXPECT_FALSE(holds(Op::eq, {whole(1)}, true));
  EXPECT_FALSE(holds(Op::eq, {true}, whole(1)));
  EXPECT_TRUE(holds(Op::eq, {true}, true));
  EXPECT_FALSE(holds(Op::eq, {true}, false));
  EXPECT_TRUE(holds(Op::eq, {real(-0.0)}, whole(0)));
}

TEST(FilterTest, IntegersAndRealsCompareWithoutLosingDigits) {
  constexpr std::int64_t kTwoTo53 = std::int64_t{1} << 53;
  EXPECT_FALSE(holds(Op::eq, {real(9007199254740992.0)}, whole(kTwoTo53 + 1)));
  EXPECT_TRUE(holds(Op::gt, {real(9007199254740992.0)}, whole(kTwoTo53 + 1)));
  EXPECT_TRUE(holds(Op::lt, {whole(kTwoTo53 + 1)}, real(9007199254740992.0)));
  EXPECT_TRUE(holds(Op::gt, {real(1.5)}, whole(2)));
  EXPECT_TRUE(holds(Op::lt, {real(1.5)}, whole(1)));
  EXPECT_TRUE(holds(Op::gt, {real(-1.5)}, whole(-1)));
  EXPECT_TRUE(holds(Op::lt, {real(-1.5)}, whole(-2)));

  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  EXPECT_TRUE(holds(Op::lt, {real(9223372036854775808.0)}, whole(kMax)));
  EXPECT_FALSE(holds(Op::eq, {real(9223372036854775808.0)}, whole(kMax)));
  EXPECT_TRUE(holds(Op::eq, {real(-9223372036854775808.0)}, whole(kMin)));
  EXPECT_TRUE(holds(Op::gt, {real(-1e300)}, whole(kMin)));
  EXPECT_TRUE(holds(Op::lt, {real(1e300)}, whole(kMax)));
}

TEST(FilterTest, NothingIsEqualToOrOrderedWithNaN) {
  const double nan = std::nan("");
  EXPECT_FALSE(holds(Op::eq, {real(nan)}, whole(1)));
  EXPECT_FALSE(holds(Op::gte, {real(nan)}, whole(1)));
  EXPECT_FALSE(holds(Op::lte, {real(nan)}, real(1)));
  EXPECT_TRUE(holds(Op::ne, {real(nan)}, real(nan)));
}

TEST(FilterTest, RangesOrderNumbersAndStringsAndNothingElse) {
  EXPECT_TRUE(holds(Op::gte, {whole(3)}, whole(3)));
  EXPECT_FALSE(holds(Op::gt, {whole(3)}, whole(3)));
  EXPECT_TRUE(holds(Op::lte, {whole(3)}, real(2.5)));
  EXPECT_TRUE(holds(Op::lt, {text("2024-02-01")}, text("2024-01-31")));
  EXPECT_TRUE(holds(Op::gt, {text("Z")}, text("a"))) << "by bytes";
  EXPECT_FALSE(holds(Op::gt, {whole(0)}, text("5")));
  EXPECT_FALSE(holds(Op::lt, {text("5")}, whole(0)));
  EXPECT_FALSE(holds(Op::gt, {false}, true));
  EXPECT_FALSE(holds(Op::gt, {whole(0)}, std::vector<std::int64_t>{5}));
}

TEST(FilterTest, ConditionsThatDenyHoldForRecordsThatLackTheKey) {
  EXPECT_TRUE(holds_without_key(Op::ne, {whole(1)}));
  EXPECT_TRUE(holds_without_key(Op::nin, {whole(1)}));
  EXPECT_TRUE(holds_without_key(Op::not_contains, {text("x")}));
  for (const Op op : {Op::eq, Op::in, Op::gt, Op::gte, Op::lt, Op::lte, Op::contains}) {
    EXPECT_FALSE(holds_without_key(op, {whole(1)})) << to_string(op);
  }
}

TEST(FilterTest, AnEmptyInHoldsForNothingAndAnEmptyNinForEverything) {
  EXPECT_FALSE(holds(Op::in, {}, whole(1)));
  EXPECT_TRUE(holds(Op::nin, {}, whole(1)));
  EXPECT_FALSE(holds_without_key(Op::in, {}));
  EXPECT_TRUE(holds_without_key(Op::nin, {}));
}

TEST(FilterTest, InTakesValuesOfSeveralTypes) {
  const std::vector<MetadataValue> operands{text("1"), whole(2), true};
  EXPECT_TRUE(holds(Op::in, operands, text("1")));
  EXPECT_TRUE(holds(Op::in, operands, real(2)));
  EXPECT_TRUE(holds(Op::in, operands, true));
  EXPECT_FALSE(holds(Op::in, operands, whole(1)));
  EXPECT_TRUE(holds(Op::nin, operands, false));
}

TEST(FilterTest, ContainsAsksForAnElementOrAPart) {
  EXPECT_TRUE(holds(Op::contains, {text("urgent")}, std::vector<std::string>{"late", "urgent"}));
  EXPECT_FALSE(holds(Op::contains, {text("urg")}, std::vector<std::string>{"late", "urgent"}));
  EXPECT_TRUE(holds(Op::contains, {real(2.0)}, std::vector<std::int64_t>{1, 2}));
  EXPECT_TRUE(holds(Op::contains, {whole(2)}, std::vector<double>{2.0}));
  EXPECT_TRUE(holds(Op::contains, {true}, std::vector<bool>{false, true}));
  EXPECT_FALSE(holds(Op::contains, {whole(1)}, std::vector<bool>{true}));
  EXPECT_TRUE(holds(Op::contains, {text("gen")}, text("urgent")));
  EXPECT_FALSE(holds(Op::contains, {text("1")}, whole(1)));
  EXPECT_FALSE(holds(Op::contains, {whole(1)}, text("1")));
  EXPECT_TRUE(holds(Op::not_contains, {text("x")}, std::vector<std::string>{"late"}));
  EXPECT_FALSE(holds(Op::not_contains, {text("late")}, std::vector<std::string>{"late"}));
}

TEST(FilterTest, NoListEqualsAScalar) {
  const MetadataValue list = std::vector<std::string>{"a"};
  EXPECT_FALSE(holds(Op::eq, {text("a")}, list));
  EXPECT_TRUE(holds(Op::ne, {text("a")}, list));
  EXPECT_FALSE(holds(Op::in, {text("a")}, list));
  EXPECT_TRUE(holds(Op::nin, {text("a")}, list));
}

TEST(FilterTest, AllAndAnyNest) {
  const auto is = [](const char* key, std::int64_t value) {
    return Filter::of({.key = key, .op = Op::eq, .operands = {value}});
  };
  const Filter filter = Filter::all_of({is("a", 1), Filter::any_of({is("b", 2), is("b", 3)})});
  EXPECT_TRUE(matches(filter, Metadata{{"a", whole(1)}, {"b", whole(3)}}));
  EXPECT_FALSE(matches(filter, Metadata{{"a", whole(1)}, {"b", whole(4)}}));
  EXPECT_FALSE(matches(filter, Metadata{{"b", whole(3)}}));
  EXPECT_TRUE(matches(Filter{}, Metadata{}));
  EXPECT_FALSE(matches(Filter::any_of({}), Metadata{}));
}

TEST(FilterTest, DocumentsAreComparedByBytes) {
  const auto has = [](const char* part) { return DocumentFilter::of({.op = Op::contains, .text = part}); };
  const auto lacks = [](const char* part) { return DocumentFilter::of({.op = Op::not_contains, .text = part}); };
  EXPECT_TRUE(matches(has("Straße"), "Die Straße"));
  EXPECT_FALSE(matches(has("strasse"), "Die Straße"));
  EXPECT_TRUE(matches(lacks("x"), ""));
  EXPECT_TRUE(matches(DocumentFilter::any_of({has("b"), has("c")}), "abc"));
  EXPECT_FALSE(matches(DocumentFilter::all_of({has("b"), lacks("c")}), "abc"));
  EXPECT_TRUE(matches(DocumentFilter{}, "anything"));
}

TEST(FilterTest, AnOperatorOutOfRangeHoldsForNothing) {
  const auto bogus = static_cast<Op>(99);
  EXPECT_EQ(to_string(bogus), "$unknown");
  EXPECT_FALSE(holds(bogus, {whole(1)}, whole(1)));
  EXPECT_FALSE(matches(DocumentFilter::of({.op = bogus, .text = "a"}), "a"));
  Filter tree;
  tree.kind = static_cast<Filter::Kind>(9);
  EXPECT_FALSE(matches(tree, Metadata{}));
}

}  // namespace
}  // namespace loci
