// C6 to C8: get, scan, count and erase.
#include <limits>

#include "tests/conformance/fixture.h"

namespace loci::conformance {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ReadTest : public CollectionFixture {
 protected:
  void SetUp() override {
    CollectionFixture::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    // Neither by id nor by text in alphabetical order, so that insertion order shows.
    ASSERT_TRUE(ok(collection().add(std::vector{
        record("d", "delta words", {1, 0}, {{"wing", std::string("w1")}, {"n", std::int64_t{1}}}),
        record("a", "alpha words", {0, 1}, {{"wing", std::string("w2")}, {"n", std::int64_t{2}}}),
        record("c", "gamma", {1, 1}, {{"wing", std::string("w1")}, {"n", std::int64_t{3}}}),
        record("b", "beta words", {1, 2}),
    })));
  }
  std::vector<std::string> ids_got(const GetRequest& request) {
    const auto records = collection().get(request);
    EXPECT_TRUE(ok(records));
    return records.ok() ? ids_of(*records) : std::vector<std::string>{"error"};
  }
};

TEST_P(ReadTest, C7_GetWithoutASelectionGivesAllInInsertionOrder) {
  EXPECT_THAT(ids_got({}), ElementsAre("d", "a", "c", "b"));
  ASSERT_TRUE(ok(collection().upsert(std::vector{record("a", "replaced"), record("e")})));
  EXPECT_THAT(ids_got({}), ElementsAre("d", "a", "c", "b", "e")) << "a record that is replaced keeps its place";
  ASSERT_TRUE(ok(collection().erase({.ids = {{"d"}}})));
  ASSERT_TRUE(ok(collection().add(std::vector{record("d")})));
  EXPECT_THAT(ids_got({}), ElementsAre("a", "c", "b", "e", "d")) << "one that comes back is new";
  reopen();
  EXPECT_THAT(ids_got({}), ElementsAre("a", "c", "b", "e", "d"));
}

TEST_P(ReadTest, C7_GetByIdsLeavesOutWhatIsAbsent) {
  EXPECT_THAT(ids_got({.selection = {.ids = {{"b", "none", "d", "b"}}}}), ElementsAre("d", "b"));
  EXPECT_THAT(ids_got({.selection = {.ids = std::vector<std::string>{}}}), IsEmpty());
  EXPECT_THAT(ids_got({.selection = {.ids = {{"none"}}}}), IsEmpty());
}

TEST_P(ReadTest, C7_GetByFilterAndByBoth) {
  EXPECT_THAT(ids_got({.selection = {.where = where(R"({"wing": "w1"})")}}), ElementsAre("d", "c"));
  EXPECT_THAT(ids_got({.selection = {.where_document = where_document(R"({"$contains": "words"})")}}),
              ElementsAre("d", "a", "b"));
  EXPECT_THAT(ids_got({.selection = {.ids = {{"c", "a"}}, .where = where(R"({"wing": "w1"})")}}), ElementsAre("c"));
  EXPECT_THAT(ids_got({.selection = {.where = where(R"({"wing": "w1"})"),
                                     .where_document = where_document(R"({"$contains": "words"})")}}),
              ElementsAre("d"));
}

TEST_P(ReadTest, C7_LimitAndOffsetCutPagesOfTheSameOrder) {
  EXPECT_THAT(ids_got({.limit = 2}), ElementsAre("d", "a"));
  EXPECT_THAT(ids_got({.limit = 2, .offset = 1}), ElementsAre("a", "c"));
  EXPECT_THAT(ids_got({.limit = 2, .offset = 3}), ElementsAre("b"));
  EXPECT_THAT(ids_got({.offset = 2}), ElementsAre("c", "b"));
  EXPECT_THAT(ids_got({.limit = 0}), IsEmpty());
  EXPECT_THAT(ids_got({.selection = {.where = where(R"({"wing": "w1"})")}, .limit = 1, .offset = 1}), ElementsAre("c"));
}

TEST_P(ReadTest, C7_LimitAndOffsetMayBeHuge) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  EXPECT_THAT(ids_got({.limit = kMost}), ElementsAre("d", "a", "c", "b"));
  EXPECT_THAT(ids_got({.limit = kMost / 2 + 1, .offset = 3}), ElementsAre("b"));
  EXPECT_THAT(ids_got({.offset = 4}), IsEmpty());
  EXPECT_THAT(ids_got({.offset = kMost}), IsEmpty());
  EXPECT_THAT(ids_got({.limit = 1, .offset = kMost / 2 + 1}), IsEmpty());
}

TEST_P(ReadTest, C6_GetCarriesWhatIsAskedFor) {
  const Record bare = get_one(collection(), "d", {.documents = false, .metadatas = false});
  EXPECT_EQ(bare.document, "");
  EXPECT_EQ(bare.metadata, Metadata{});
  EXPECT_EQ(bare.embedding, std::nullopt);
  EXPECT_EQ(bare.details, std::nullopt);
  const Record document = get_one(collection(), "d", {.metadatas = false});
  EXPECT_EQ(document.document, "delta words");
  EXPECT_EQ(document.metadata, Metadata{});
  const Record vector = get_one(collection(), "d", {.documents = false, .embeddings = true});
  EXPECT_EQ(vector.document, "");
  EXPECT_EQ(vector.embedding, has(capability::kEmbeddingsOut) ? std::optional(Embedding{1, 0}) : std::nullopt);
}

TEST_P(ReadTest, C7_IdsInARequestAreChecked) {
  for (const std::string& id : {std::string(), std::string(10'000, 'x'), std::string("\xff"), std::string("a\0b", 3)}) {
    EXPECT_EQ(error_kind(collection().get({.selection = {.ids = {{"a", id}}}})), ErrorKind::invalid_argument);
    EXPECT_EQ(error_kind(collection().erase({.ids = {{"a", id}}})), ErrorKind::invalid_argument);
  }
  EXPECT_EQ(value(collection().count()), 4U);
}

TEST_P(ReadTest, C7_ScanHandsOverWhatGetReturns) {
  const GetRequest request{.selection = {.where_document = where_document(R"({"$contains": "words"})")}, .offset = 1};
  std::vector<Record> scanned;
  ASSERT_TRUE(ok(collection().scan(request, [&](Record each) -> Status {
    scanned.push_back(std::move(each));
    return ok_status();
  })));
  EXPECT_EQ(scanned, value(collection().get(request)));
}

TEST_P(ReadTest, C7_ScanStopsAtTheFirstErrorOfItsVisitor) {
  int visited = 0;
  const Status status = collection().scan({}, [&](const Record&) -> Status {
    if (++visited == 2) return Error{ErrorKind::busy, "enough"};
    return ok_status();
  });
  EXPECT_EQ(error_kind(status), ErrorKind::busy);
  EXPECT_EQ(error_message(status), "enough");
  EXPECT_EQ(visited, 2);
  EXPECT_EQ(value(collection().count()), 4U) << "and the collection goes on";
}

TEST_P(ReadTest, C7_ScanReadsWhileItsVisitorReads) {
  std::size_t counted = 0;
  ASSERT_TRUE(ok(collection().scan({}, [&](const Record&) -> Status {
    counted += TRY(collection().count());
    return ok_status();
  })));
  EXPECT_EQ(counted, 16U);
}

TEST_P(ReadTest, C1_CountsByValuesOfMetadata) {
  ASSERT_TRUE(ok(
      collection().add(std::vector{record("e", "", {1, 0}, {{"wing", std::string("w1")}, {"room", std::string("r")}}),
                                   record("f", "", {1, 0}, {{"wing", std::int64_t{5}}, {"room", std::string("r")}})})));
  const std::vector<std::string> wing{"wing"};
  EXPECT_EQ(value(collection().count_by(wing)),
            (std::vector<GroupCount>{{{std::nullopt}, 2}, {{"w1"}, 3}, {{"w2"}, 1}}));
  const std::vector<std::string> place{"wing", "room"};
  EXPECT_EQ(value(collection().count_by(place)), (std::vector<GroupCount>{{{std::nullopt, std::nullopt}, 1},
                                                                          {{std::nullopt, "r"}, 1},
                                                                          {{"w1", std::nullopt}, 2},
                                                                          {{"w1", "r"}, 1},
                                                                          {{"w2", std::nullopt}, 1}}));
  ASSERT_TRUE(ok(collection().erase({.ids = {{"e", "f"}}})));
  const std::vector<std::string> reversed{"room", "wing"};
  EXPECT_EQ(value(collection().count_by(reversed)),
            (std::vector<GroupCount>{
                {{std::nullopt, std::nullopt}, 1}, {{std::nullopt, "w1"}, 2}, {{std::nullopt, "w2"}, 1}}));
}

TEST_P(ReadTest, C8_EraseByIdsSaysHowManyThereWere) {
  EXPECT_EQ(value(collection().erase({.ids = {{"a", "none", "c", "a"}}})), 2U);
  EXPECT_THAT(ids_got({}), ElementsAre("d", "b"));
  EXPECT_EQ(value(collection().count()), 2U);
  EXPECT_EQ(value(collection().erase({.ids = {{"a"}}})), 0U);
  EXPECT_EQ(value(collection().erase({.ids = std::vector<std::string>{}})), 0U) << "a list that names nothing";
  reopen();
  EXPECT_THAT(ids_got({}), ElementsAre("d", "b"));
}

TEST_P(ReadTest, C8_EraseByFilterAndByBoth) {
  EXPECT_EQ(value(collection().erase({.ids = {{"a", "c"}}, .where = where(R"({"wing": "w1"})")})), 1U);
  EXPECT_THAT(ids_got({}), ElementsAre("d", "a", "b"));
  EXPECT_EQ(value(collection().erase({.where_document = where_document(R"({"$contains": "beta"})")})), 1U);
  EXPECT_EQ(value(collection().erase({.where = where(R"({"wing": {"$ne": "w9"}})")})), 2U);
  EXPECT_EQ(value(collection().count()), 0U);
}

TEST_P(ReadTest, C8_EraseWithoutASelectionIsRefusedAndErasesNothing) {
  EXPECT_EQ(error_kind(collection().erase({})), ErrorKind::invalid_argument);
  // Filters that hold for everything because a part of them is empty are the same trap in another form.
  EXPECT_EQ(error_kind(collection().erase({.where = Filter::all_of({Filter{}})})), ErrorKind::invalid_argument);
  EXPECT_EQ(error_kind(collection().erase({.where = Filter::any_of({where(R"({"wing": "w1"})"), Filter{}})})),
            ErrorKind::invalid_argument);
  EXPECT_EQ(value(collection().count()), 4U);
}

TEST_P(ReadTest, C8_WhatWasErasedIsNotFoundAgain) {
  ASSERT_TRUE(ok(collection().erase({.ids = {{"d"}}})));
  for (const bool is_reopened : {false, true}) {
    if (is_reopened) reopen();
    EXPECT_THAT(ids_of(value(collection().query({.embeddings = {{1, 0}}})).hits[0]), ElementsAre("c", "b", "a"));
    EXPECT_THAT(ids_got({.selection = {.ids = {{"d"}}}}), IsEmpty());
    EXPECT_THAT(ids_got({.selection = {.where_document = where_document(R"({"$contains": "delta"})")}}), IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, ReadTest, testing::ValuesIn(backends_under_test()), backend_name);

}  // namespace
}  // namespace loci::conformance
