// F1 to F6: every operator, nested, on get, query and erase; unknown operators; filters inside the search.
#include <algorithm>
#include <limits>

#include "tests/conformance/fixture.h"

namespace loci::conformance {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct FilterCase {
  std::string_view json;
  std::vector<std::string> ids;
};

class FilterTest : public CollectionFixture {
 protected:
  void SetUp() override {
    CollectionFixture::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    std::vector<Record> records{
        record("1", "alpha beta", {1, 0}, {{"wing", std::string("work")}, {"year", std::int64_t{2019}}, {"ok", true}}),
        record("2", "beta gamma", {1, 1}, {{"wing", std::string("work")}, {"year", 2020.0}, {"ok", false}}),
        record("3", "gamma delta", {1, 2}, {{"wing", std::string("home")}, {"year", 2020.5}}),
        record("4", "delta epsilon", {1, 3}, {{"wing", std::string("1")}, {"year", std::string("2020")}}),
        record("5", "", {1, 4}, {{"wing", std::int64_t{1}}, {"year", std::int64_t{-3}}}),
        record("6", "Größe 🦊", {1, 5}, {{"ключ", std::string("значение")}, {"ok", std::int64_t{1}}}),
        record("7", "no metadata", {1, 6}),
    };
    if (has(capability::kListMetadata)) {
      records[2].metadata["tags"] = std::vector<std::string>{"urgent", "late"};
      records[3].metadata["tags"] = std::vector<std::string>{"urgently"};
      records[4].metadata["tags"] = std::vector<std::int64_t>{1, 2};
      records[5].metadata["tags"] = std::string("urgent matters");
    }
    ASSERT_TRUE(ok(collection().add(records)));
  }

  // The same rows pass on get, scan and query.
  void expect_same_everywhere(const Filter& filter, const DocumentFilter& documents,
                              const std::vector<std::string>& expected, std::string_view trace) {
    const auto got = collection().get({.selection = {.where = filter, .where_document = documents}});
    ASSERT_TRUE(ok(got)) << trace;
    EXPECT_EQ(ids_of(*got), expected) << trace;
    const auto found =
        collection().query({.embeddings = {{1, 0}}, .n_results = 100, .where = filter, .where_document = documents});
    ASSERT_TRUE(ok(found)) << trace;
    EXPECT_EQ(ids_of(found->hits[0]), expected) << trace;  // the vectors are ordered like the ids
  }
  void expect_cases(const std::vector<FilterCase>& cases) {
    for (const FilterCase& each : cases) expect_same_everywhere(where(each.json), {}, each.ids, each.json);
  }

  // Erases what the filter names and says which ids went.
  std::vector<std::string> erased_by(const Filter& filter) {
    const std::vector<std::string> before = ids_in(collection());
    const auto count = collection().erase({.where = filter});
    EXPECT_TRUE(ok(count));
    const std::vector<std::string> after = ids_in(collection());
    std::vector<std::string> gone;
    for (const std::string& id : before) {
      if (std::count(after.begin(), after.end(), id) == 0) gone.push_back(id);
    }
    EXPECT_EQ(count.ok() ? *count : 0, gone.size());
    return gone;
  }
};

TEST_P(FilterTest, F1_EqualityAndItsOpposite) {
  expect_cases({
      {R"({"wing": "work"})", {"1", "2"}},
      {R"({"wing": {"$eq": "home"}})", {"3"}},
      {R"({"wing": {"$ne": "work"}})", {"3", "4", "5", "6", "7"}},
      {R"({"ok": true})", {"1"}},
      {R"({"ok": {"$ne": true}})", {"2", "3", "4", "5", "6", "7"}},
      {R"({"ключ": "значение"})", {"6"}},
      {R"({"no such key": "x"})", {}},
      {R"({"no such key": {"$ne": "x"}})", {"1", "2", "3", "4", "5", "6", "7"}},
      {R"({"wing": ""})", {}},
  });
}

TEST_P(FilterTest, F1_MembershipAndItsOpposite) {
  expect_cases({
      {R"({"wing": {"$in": ["home", "work"]}})", {"1", "2", "3"}},
      {R"({"wing": {"$nin": ["home", "work"]}})", {"4", "5", "6", "7"}},
      {R"({"wing": {"$in": []}})", {}},
      {R"({"wing": {"$nin": []}})", {"1", "2", "3", "4", "5", "6", "7"}},
      {R"({"wing": {"$in": ["1", "none"]}})", {"4"}},
      {R"({"wing": {"$in": [1, "home", true]}})", {"3", "5"}},
      {R"({"ok": {"$in": [true, false]}})", {"1", "2"}},
      {R"({"ok": {"$nin": [true]}})", {"2", "3", "4", "5", "6", "7"}},
  });
}

TEST_P(FilterTest, F1_AllAndAnyNest) {
  expect_cases({
      {R"({"$and": [{"wing": "work"}, {"ok": true}]})", {"1"}},
      {R"({"$or": [{"wing": "home"}, {"ok": true}]})", {"1", "3"}},
      {R"({"wing": "work", "ok": false})", {"2"}},
      {R"({"$and": [{"$or": [{"wing": "work"}, {"wing": "home"}]}, {"year": {"$in": [2020, 2020.5]}}]})", {"2", "3"}},
      {R"({"$or": [{"$and": [{"wing": "work"}, {"ok": {"$ne": false}}]}, {"$and": [{"wing": {"$in": ["1"]}}]}]})",
       {"1", "4"}},
      {R"({"$and": [{"wing": "work"}, {"wing": "home"}]})", {}},
      {R"({"$or": [{"wing": "none"}]})", {}},
      {R"({"$and": [{"$and": [{"$or": [{"$and": [{"ok": {"$ne": true}}]}]}]}, {"wing": "work"}]})", {"2"}},
  });
}

TEST_P(FilterTest, F4_TypesAreComparedAsTypes) {
  expect_cases({
      {R"({"wing": "1"})", {"4"}},
      {R"({"wing": 1})", {"5"}},
      {R"({"wing": 1.0})", {"5"}},
      {R"({"year": 2020})", {"2"}},
      {R"({"year": 2020.0})", {"2"}},
      {R"({"year": "2020"})", {"4"}},
      {R"({"year": 2020.5})", {"3"}},
      {R"({"ok": 1})", {"6"}},
      {R"({"ok": 1.0})", {"6"}},
      {R"({"ok": false})", {"2"}},
      {R"({"ok": 0})", {}},
      {R"({"ok": "true"})", {}},
      {R"({"year": {"$in": ["2020", 2020]}})", {"2", "4"}},
      {R"({"year": {"$ne": 2020}})", {"1", "3", "4", "5", "6", "7"}},
      {R"({"year": {"$nin": [2020, 2020.5]}})", {"1", "4", "5", "6", "7"}},
  });
}

TEST_P(FilterTest, F4_NumbersAreComparedWithoutLosingDigits) {
  constexpr std::int64_t kTwoTo53 = std::int64_t{1} << 53;
  ASSERT_TRUE(ok(collection().add(
      std::vector{record("exact", "", {1, 7}, {{"n", kTwoTo53}}), record("next", "", {1, 8}, {{"n", kTwoTo53 + 1}}),
                  record("last", "", {1, 9}, {{"n", std::numeric_limits<std::int64_t>::max()}}),
                  record("real", "", {1, 10}, {{"n", 9223372036854775808.0}})})));
  expect_cases({
      {R"({"n": 9007199254740992})", {"exact"}},
      {R"({"n": 9007199254740992.0})", {"exact"}},
      {R"({"n": 9007199254740993})", {"next"}},
      {R"({"n": 9223372036854775807})", {"last"}},
      {R"({"n": 9223372036854775808.0})", {"real"}},
  });
}

TEST_P(FilterTest, F2_RangesAreThereOrRefused) {
  const std::vector<FilterCase> cases{
      {R"({"year": {"$gt": 2020}})", {"3"}},
      {R"({"year": {"$gte": 2020}})", {"2", "3"}},
      {R"({"year": {"$lt": 2020}})", {"1", "5"}},
      {R"({"year": {"$lte": 2020}})", {"1", "2", "5"}},
      {R"({"year": {"$gte": 2019, "$lt": 2020.25}})", {"1", "2"}},
      {R"({"year": {"$gt": -3.5}})", {"1", "2", "3", "5"}},
      {R"({"year": {"$gte": -2.5}})", {"1", "2", "3"}},
      {R"({"year": {"$lt": 2019.5}})", {"1", "5"}},
      {R"({"year": {"$lte": -3.5}})", {}},
      {R"({"wing": {"$gt": 0}})", {"5"}},
      {R"({"no such key": {"$lt": 5}})", {}},
      {R"({"$or": [{"year": {"$lt": 0}}, {"year": {"$gt": 2020.4}}]})", {"3", "5"}},
      {R"({"ok": {"$gte": 1}})", {"6"}},
  };
  if (has(capability::kRangeFilters)) return expect_cases(cases);
  for (const FilterCase& each : cases) {
    EXPECT_EQ(error_kind(collection().get({.selection = {.where = where(each.json)}})), ErrorKind::unsupported_filter);
  }
}

TEST_P(FilterTest, F2_RangesOfStringsAreByBytesOrRefused) {
  const auto got = collection().get({.selection = {.where = where(R"({"wing": {"$gte": "home", "$lt": "work"}})")}});
  if (!got.ok()) {
    EXPECT_EQ(got.error().kind, ErrorKind::unsupported_filter);
    return;
  }
  EXPECT_THAT(ids_of(*got), ElementsAre("3"));
  expect_cases({{R"({"wing": {"$lt": "a"}})", {"4"}}, {R"({"year": {"$gt": "2019"}})", {"4"}}});
}

TEST_P(FilterTest, F1_DocumentsContainWordsByBytes) {
  const auto expect = [&](std::string_view json, const std::vector<std::string>& ids) {
    expect_same_everywhere({}, where_document(json), ids, json);
  };
  expect(R"({"$contains": "beta"})", {"1", "2"});
  expect(R"({"$contains": "a b"})", {"1"});
  expect(R"({"$contains": "Beta"})", {});
  expect(R"({"$contains": "röße"})", {"6"});
  expect(R"({"$contains": "🦊"})", {"6"});
  expect(R"({"$contains": "%"})", {});
  expect(R"({"$contains": "_"})", {});
  expect(R"({"$contains": "'"})", {});
  expect(R"({"$contains": "*"})", {});
  expect(R"({"$and": [{"$contains": "beta"}, {"$contains": "gamma"}]})", {"2"});
  expect(R"({"$or": [{"$contains": "alpha"}, {"$contains": "epsilon"}]})", {"1", "4"});
}

TEST_P(FilterTest, F2_DocumentsThatLackWords) {
  const auto got = collection().get({.selection = {.where_document = where_document(R"({"$not_contains": "ta"})")}});
  if (!got.ok()) {
    EXPECT_EQ(got.error().kind, ErrorKind::unsupported_filter);
    return;
  }
  EXPECT_THAT(ids_of(*got), ElementsAre("5", "6"));
  expect_same_everywhere({}, where_document(R"({"$contains": "gamma", "$not_contains": "beta"})"), {"3"}, "both");
}

TEST_P(FilterTest, F1_ContainsAsksForAnElementOfAList) {
  if (!has(capability::kListMetadata)) GTEST_SKIP() << GetParam().name << " keeps no lists";
  expect_cases({
      {R"({"tags": {"$contains": "urgent"}})", {"3", "6"}},
      {R"({"tags": {"$contains": "late"}})", {"3"}},
      {R"({"tags": {"$contains": 2}})", {"5"}},
      {R"({"tags": {"$contains": 2.0}})", {"5"}},
      {R"({"tags": {"$contains": true}})", {}},
      {R"({"tags": {"$not_contains": "urgent"}})", {"1", "2", "4", "5", "7"}},
      {R"({"tags": "urgent"})", {}},
      {R"({"tags": {"$ne": "late"}})", {"1", "2", "3", "4", "5", "6", "7"}},
      {R"({"tags": {"$in": ["urgently", 1]}})", {}},
  });
}

TEST_P(FilterTest, F1_ContainsAsksForAPartOfAString) {
  expect_cases({
      {R"({"wing": {"$contains": "or"}})", {"1", "2"}},
      {R"({"wing": {"$contains": "1"}})", {"4"}},
      {R"({"wing": {"$contains": 1}})", {}},
      {R"({"ключ": {"$contains": "нач"}})", {"6"}},
  });
}

TEST_P(FilterTest, F1_BothKindsOfFilterHoldTogether) {
  expect_same_everywhere(where(R"({"wing": "work"})"), where_document(R"({"$contains": "gamma"})"), {"2"}, "both");
  expect_same_everywhere(where(R"({"wing": "home"})"), where_document(R"({"$contains": "alpha"})"), {}, "none");
}

TEST_P(FilterTest, C8_EraseTakesTheSameFilters) {
  EXPECT_THAT(erased_by(where(R"({"$and": [{"wing": "work"}, {"ok": {"$ne": true}}]})")), ElementsAre("2"));
  EXPECT_THAT(erased_by(where(R"({"wing": 1})")), ElementsAre("5"));
  EXPECT_THAT(erased_by(where(R"({"wing": {"$nin": ["work", "home"]}})")), ElementsAre("4", "6", "7"));
  EXPECT_THAT(erased_by(where(R"({"wing": "none"})")), IsEmpty());
}

// F3. A filter that reaches a backend as a typed tree can still be one that it does not know: an operator of a later
// version, or one in the wrong place. (What JSON can hold is refused by the parser; its own tests show that.)
class UnknownOperatorTest : public FilterTest {
 protected:
  static std::vector<Filter> at_every_depth(const Filter& unknown) {
    const Filter known = where(R"({"wing": "work"})");
    return {
        unknown,
        Filter::all_of({unknown}),
        Filter::any_of({unknown}),
        Filter::all_of({known, unknown}),
        Filter::any_of({known, unknown}),
        Filter::all_of({known, Filter::any_of({known, Filter::all_of({known, unknown})})}),
        Filter::any_of({Filter::any_of({Filter::any_of({Filter::any_of({unknown, known})})})}),
    };
  }
  static std::vector<DocumentFilter> at_every_depth(const DocumentFilter& unknown) {
    const DocumentFilter known = where_document(R"({"$contains": "beta"})");
    return {unknown, DocumentFilter::all_of({known, unknown}),
            DocumentFilter::any_of({known, DocumentFilter::all_of({known, unknown})})};
  }
  void expect_refused(const Filter& filter, const DocumentFilter& documents) {
    EXPECT_EQ(error_kind(collection().get({.selection = {.where = filter, .where_document = documents}})),
              ErrorKind::unsupported_filter);
    EXPECT_EQ(error_kind(collection().erase({.where = filter, .where_document = documents})),
              ErrorKind::unsupported_filter);
    EXPECT_EQ(error_kind(collection().erase({.ids = {{"1"}}, .where = filter, .where_document = documents})),
              ErrorKind::unsupported_filter);
    EXPECT_EQ(error_kind(collection().query({.embeddings = {{1, 0}}, .where = filter, .where_document = documents})),
              ErrorKind::unsupported_filter);
    if (has(capability::kLexicalSearch)) {
      EXPECT_EQ(error_kind(collection().match({.text = "beta", .where = filter, .where_document = documents})),
                ErrorKind::unsupported_filter);
    }
    EXPECT_EQ(value(collection().count()), 7U) << "nothing was erased";
  }
};

TEST_P(UnknownOperatorTest, F3_AnUnknownOperatorIsRefusedAtEveryDepth) {
  const Filter unknown =
      Filter::of({.key = "wing", .op = static_cast<FilterOperator>(42), .operands = {std::string("work")}});
  for (const Filter& filter : at_every_depth(unknown)) expect_refused(filter, {});
}

TEST_P(UnknownOperatorTest, F3_AnUnknownKindOfNodeIsRefusedAtEveryDepth) {
  Filter unknown = where(R"({"$and": [{"wing": "work"}, {"ok": true}]})");
  unknown.kind = static_cast<Filter::Kind>(9);
  for (const Filter& filter : at_every_depth(unknown)) expect_refused(filter, {});
}

TEST_P(UnknownOperatorTest, F3_AnOperatorThatDocumentsLackIsRefusedAtEveryDepth) {
  for (const auto op : {FilterOperator::eq, FilterOperator::gt, FilterOperator::in, static_cast<FilterOperator>(42)}) {
    for (const DocumentFilter& documents : at_every_depth(DocumentFilter::of({.op = op, .text = "beta"}))) {
      expect_refused({}, documents);
    }
  }
}

TEST_P(UnknownOperatorTest, F3_WrongOperandsAreRefused) {
  for (const Filter& filter : {
           Filter::of({.key = "wing", .op = FilterOperator::eq, .operands = {}}),
           Filter::of({.key = "wing", .op = FilterOperator::eq, .operands = {std::string("a"), std::string("b")}}),
           Filter::of({.key = "wing", .op = FilterOperator::eq, .operands = {std::vector<std::string>{"work"}}}),
           Filter::of({.key = "wing", .op = FilterOperator::in, .operands = {std::vector<std::string>{"work"}}}),
           Filter::of({.key = "", .op = FilterOperator::ne, .operands = {true}}),
           Filter::any_of({}),
       }) {
    EXPECT_EQ(error_kind(collection().get({.selection = {.where = filter}})), ErrorKind::invalid_argument);
    EXPECT_EQ(error_kind(collection().erase({.where = filter})), ErrorKind::invalid_argument);
    EXPECT_EQ(error_kind(collection().query({.embeddings = {{1, 0}}, .where = filter})), ErrorKind::invalid_argument);
  }
  EXPECT_EQ(value(collection().count()), 7U);
}

TEST_P(UnknownOperatorTest, F3_AFilterIsCheckedEvenWhereThereIsNothingToFilter) {
  const std::shared_ptr<Collection> empty = make_collection(palace(), "empty");
  const Filter unknown =
      Filter::of({.key = "wing", .op = static_cast<FilterOperator>(42), .operands = {std::string("work")}});
  EXPECT_EQ(error_kind(empty->get({.selection = {.where = unknown}})), ErrorKind::unsupported_filter);
  EXPECT_EQ(error_kind(empty->query({.embeddings = {{1, 0}}, .where = unknown})), ErrorKind::unsupported_filter);
  EXPECT_EQ(error_kind(empty->erase({.where = unknown})), ErrorKind::unsupported_filter);
  EXPECT_EQ(error_kind(empty->get({.selection = {.ids = std::vector<std::string>{}, .where = unknown}})),
            ErrorKind::unsupported_filter);
}

// F6 with rows that are far away and rare.
class RareRowTest : public CollectionFixture {
 protected:
  void SetUp() override {
    CollectionFixture::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    constexpr std::size_t kRows = 5'000;
    const std::size_t batch_size = info().max_batch.value_or(kRows);
    std::vector<Record> batch;
    for (std::size_t i = 0; i < kRows; ++i) {
      batch.push_back(record("r" + std::to_string(i), "common words", {1, static_cast<float>(i) / kRows},
                             {{"kind", std::string("common")}}));
      if (batch.size() == batch_size || i + 1 == kRows) {
        ASSERT_TRUE(ok(collection().add(batch)));
        batch.clear();
      }
    }
    ASSERT_TRUE(ok(collection().add(
        std::vector{record("rare", "a needle among common words", {-1, 0}, {{"kind", std::string("rare")}})})));
  }
};

TEST_P(RareRowTest, F6_AFilterActsBeforeTheCut) {
  const auto by_metadata =
      collection().query({.embeddings = {{1, 0}}, .n_results = 1, .where = where(R"({"kind": "rare"})")});
  ASSERT_TRUE(ok(by_metadata));
  EXPECT_THAT(ids_of(by_metadata->hits[0]), ElementsAre("rare"));
  const auto by_document = collection().query(
      {.embeddings = {{1, 0}, {0, 1}}, .n_results = 1, .where_document = where_document(R"({"$contains": "needle"})")});
  ASSERT_TRUE(ok(by_document));
  EXPECT_THAT(ids_of(by_document->hits[0]), ElementsAre("rare"));
  EXPECT_THAT(ids_of(by_document->hits[1]), ElementsAre("rare"));
  const auto got = collection().get({.selection = {.where = where(R"({"kind": {"$ne": "common"}})")}, .limit = 1});
  ASSERT_TRUE(ok(got));
  EXPECT_THAT(ids_of(*got), ElementsAre("rare"));
}

TEST_P(RareRowTest, F6_AFilterActsBeforeTheCutOfAMatch) {
  if (!has(capability::kLexicalSearch)) GTEST_SKIP() << GetParam().name << " has no search by words";
  const auto hits = collection().match({.text = "common words", .n_results = 1, .where = where(R"({"kind": "rare"})")});
  ASSERT_TRUE(ok(hits));
  ASSERT_EQ(hits->size(), 1U);
  EXPECT_EQ((*hits)[0].record.id, "rare");
}

INSTANTIATE_TEST_SUITE_P(Backends, FilterTest, testing::ValuesIn(backends_under_test()), backend_name);
INSTANTIATE_TEST_SUITE_P(Backends, UnknownOperatorTest, testing::ValuesIn(backends_under_test()), backend_name);
INSTANTIATE_TEST_SUITE_P(Backends, RareRowTest, testing::ValuesIn(backends_under_test()), backend_name);

}  // namespace
}  // namespace loci::conformance
