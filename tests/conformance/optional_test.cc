// Optional methods: search by words and the change feed. A backend has them, and says so, or refuses them.
#include <limits>

#include "tests/conformance/fixture.h"

namespace loci::conformance {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

class OptionalTest : public CollectionFixture {
 protected:
  std::vector<std::string> ids_matching(const MatchRequest& request) {
    const auto hits = collection().match(request);
    EXPECT_TRUE(ok(hits));
    std::vector<std::string> ids;
    if (hits.ok()) {
      for (const WordHit& hit : *hits) ids.push_back(hit.record.id);
    }
    return ids;
  }
  std::int64_t last_seq() {
    const auto changes = collection().changes_since(0, 1'000);
    return changes.ok() && !changes->empty() ? changes->back().seq : 0;
  }
};

TEST_P(OptionalTest, B2_SearchByWordsIsThereOrRefused) {
  const auto hits = collection().match({.text = "words"});
  if (has(capability::kLexicalSearch)) {
    EXPECT_TRUE(ok(hits));
  } else {
    EXPECT_EQ(error_kind(hits), ErrorKind::unsupported);
  }
}

TEST_P(OptionalTest, B2_AnyWordMatchesAndMoreWordsMatchBetter) {
  if (!has(capability::kLexicalSearch)) GTEST_SKIP() << GetParam().name << " has no search by words";
  ASSERT_TRUE(ok(collection().add(std::vector{record("one", "the quick fox", {1, 0}, {{"k", std::string("x")}}),
                                              record("both", "a quick brown fox"), record("none", "something else"),
                                              Record{.id = "waits", .document = "brown paper"}})));
  const auto hits = collection().match({.text = "Quick BROWN"});
  ASSERT_TRUE(ok(hits));
  ASSERT_THAT(*hits, SizeIs(3));
  EXPECT_EQ((*hits)[0].record.id, "both");
  EXPECT_EQ((*hits)[0].record.document, "a quick brown fox");
  for (std::size_t i = 1; i < hits->size(); ++i) EXPECT_GE((*hits)[i - 1].score, (*hits)[i].score);
  for (const WordHit& hit : *hits) {
    EXPECT_GT(hit.score, 0);
    EXPECT_LE(hit.score, 1);
  }
  EXPECT_THAT(ids_matching({.text = "brown"}), UnorderedElementsAre("both", "waits"))
      << "records are found by words before they have a vector";
  EXPECT_THAT(ids_matching({.text = "quick", .where = where(R"({"k": "x"})")}), ElementsAre("one"));
  EXPECT_THAT(ids_matching({.text = "quick", .where_document = where_document(R"({"$contains": "brown"})")}),
              ElementsAre("both"));
  EXPECT_THAT(ids_matching({.text = "quick brown", .n_results = 1}), ElementsAre("both"));
  EXPECT_THAT(ids_matching({.text = "quick", .n_results = std::numeric_limits<std::size_t>::max()}), SizeIs(2));
  EXPECT_THAT(ids_matching({.text = "unheard"}), IsEmpty());
}

TEST_P(OptionalTest, B2_WordsFollowTheText) {
  if (!has(capability::kLexicalSearch)) GTEST_SKIP() << GetParam().name << " has no search by words";
  ASSERT_TRUE(ok(collection().add(std::vector{record("a", "apple"), record("b", "banana")})));
  ASSERT_TRUE(ok(collection().upsert(std::vector{record("a", "cherry")})));
  ASSERT_TRUE(ok(collection().update(std::vector<RecordUpdate>{{.id = "b", .metadata = Metadata{{"k", true}}}})));
  EXPECT_THAT(ids_matching({.text = "apple"}), IsEmpty());
  EXPECT_THAT(ids_matching({.text = "cherry"}), ElementsAre("a"));
  EXPECT_THAT(ids_matching({.text = "banana"}), ElementsAre("b"));
  ASSERT_TRUE(ok(collection().erase({.ids = {{"a"}}})));
  ASSERT_TRUE(ok(collection().add(std::vector{record("c", "durian")})));
  EXPECT_THAT(ids_matching({.text = "cherry durian"}), ElementsAre("c"));
  reopen();
  EXPECT_THAT(ids_matching({.text = "apple banana cherry"}), ElementsAre("b"));
}

TEST_P(OptionalTest, B2_WordsOfOneCollectionAreNotFoundInAnother) {
  if (!has(capability::kLexicalSearch)) GTEST_SKIP() << GetParam().name << " has no search by words";
  ASSERT_TRUE(ok(make_collection(palace(), "other")->add(std::vector{record("there", "shared word")})));
  ASSERT_TRUE(ok(collection().add(std::vector{record("here", "shared word")})));
  EXPECT_THAT(ids_matching({.text = "shared"}), ElementsAre("here"));
}

TEST_P(OptionalTest, B2_AMatchWithoutAWordIsRefused) {
  if (!has(capability::kLexicalSearch)) GTEST_SKIP() << GetParam().name << " has no search by words";
  ASSERT_TRUE(ok(collection().add(std::vector{record("a", "word")})));
  for (const char* text : {"", " ", "\n\t", "\xff"}) {
    EXPECT_EQ(error_kind(collection().match({.text = text})), ErrorKind::invalid_argument) << text;
  }
  EXPECT_EQ(error_kind(collection().match({.text = "word", .n_results = 0})), ErrorKind::invalid_argument);
  for (const char* syntax : {"word\"", "word*", "NEAR(word", "word AND", "(word", "col:word", "-word", "word'--"}) {
    EXPECT_THAT(ids_matching({.text = syntax}), ElementsAre("a")) << syntax;
  }
}

TEST_P(OptionalTest, C2_TheChangeFeedIsThereOrRefused) {
  if (!has(capability::kChangeFeed)) {
    EXPECT_EQ(error_kind(collection().changes_since(0, 10)), ErrorKind::unsupported);
    return;
  }
  EXPECT_THAT(value(collection().changes_since(0, 10)), IsEmpty());
  ASSERT_TRUE(ok(collection().add(std::vector{record("a"), record("b"), record("c")})));
  const auto first = collection().changes_since(0, 10);
  ASSERT_TRUE(ok(first));
  ASSERT_THAT(*first, SizeIs(3));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ((*first)[i].kind, ChangeKind::written);
    EXPECT_EQ((*first)[i].id, std::string(1, static_cast<char>('a' + i))) << "oldest first";
    if (i > 0) {
      EXPECT_GT((*first)[i].seq, (*first)[i - 1].seq);
    }
  }
  EXPECT_THAT(value(collection().changes_since(first->back().seq, 10)), IsEmpty());
  EXPECT_THAT(value(collection().changes_since(0, 2)), SizeIs(2));
}

TEST_P(OptionalTest, C2_EachRecordAppearsOnceWithItsLatestChange) {
  if (!has(capability::kChangeFeed)) GTEST_SKIP() << GetParam().name << " has no change feed";
  const auto changes_after = [&](std::int64_t seq) {
    std::vector<std::pair<std::string, ChangeKind>> changes;
    for (const Change& change : value(collection().changes_since(seq, 100)))
      changes.emplace_back(change.id, change.kind);
    return changes;
  };
  using Changes = std::vector<std::pair<std::string, ChangeKind>>;
  ASSERT_TRUE(ok(collection().add(std::vector{record("a"), record("b"), record("c"), record("d")})));
  const std::int64_t start = last_seq();
  ASSERT_TRUE(ok(collection().upsert(std::vector{record("b", "new")})));
  ASSERT_TRUE(ok(collection().erase({.ids = {{"a"}}})));
  EXPECT_EQ(changes_after(start), (Changes{{"b", ChangeKind::written}, {"a", ChangeKind::erased}}));
  ASSERT_TRUE(ok(collection().update(std::vector<RecordUpdate>{{.id = "b", .document = "newer"}})));
  ASSERT_TRUE(ok(collection().add(std::vector{record("a", "back again")})));
  ASSERT_TRUE(ok(collection().erase({.ids = {{"c"}}})));
  EXPECT_EQ(changes_after(start),
            (Changes{{"b", ChangeKind::written}, {"a", ChangeKind::written}, {"c", ChangeKind::erased}}));
  const std::int64_t before_reads = last_seq();
  ASSERT_TRUE(ok(collection().query({.embeddings = {{1, 0}}})));
  ASSERT_TRUE(ok(collection().get({})));
  EXPECT_EQ(error_kind(collection().add(std::vector{record("new"), record("a")})), ErrorKind::already_exists);
  EXPECT_EQ(last_seq(), before_reads) << "reads and refused writes change nothing";
  reopen();
  EXPECT_EQ(changes_after(0), (Changes{{"d", ChangeKind::written},
                                       {"b", ChangeKind::written},
                                       {"a", ChangeKind::written},
                                       {"c", ChangeKind::erased}}));
}

TEST_P(OptionalTest, C2_AChangeFeedIsThatOfItsCollection) {
  if (!has(capability::kChangeFeed)) GTEST_SKIP() << GetParam().name << " has no change feed";
  ASSERT_TRUE(ok(make_collection(palace(), "other")->add(std::vector{record("there")})));
  EXPECT_THAT(value(collection().changes_since(0, 10)), IsEmpty());
}

TEST_P(OptionalTest, C2_ACollectionIsHealthyUntilItsBackendIsClosed) {
  EXPECT_TRUE(collection().health().healthy);
  backend().close();
  const Health health = collection().health();
  EXPECT_FALSE(health.healthy);
  EXPECT_FALSE(health.detail.empty());
}

INSTANTIATE_TEST_SUITE_P(Backends, OptionalTest, testing::ValuesIn(backends_under_test()), backend_name);

}  // namespace
}  // namespace loci::conformance
