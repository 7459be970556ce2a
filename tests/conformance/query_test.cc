// C5 and C6 for query: input, shapes, order and distances.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/conformance/exact_distance.h"
#include "tests/conformance/fixture.h"

namespace loci::conformance {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class QueryTest : public CollectionFixture {
 protected:
  void fill() {
    ASSERT_TRUE(ok(collection().add(std::vector{
        record("far", "far text", {-1, 0}, {{"k", std::string("v")}}),
        record("near", "near text", {1, 0.1F}),
        record("middle", "middle text", {0, 1}),
    })));
  }
};

TEST_P(QueryTest, C5_NearestFirst) {
  fill();
  const auto result = collection().query({.embeddings = {{1, 0}}});
  ASSERT_TRUE(ok(result));
  ASSERT_THAT(result->hits, SizeIs(1));
  EXPECT_THAT(ids_of(result->hits[0]), ElementsAre("near", "middle", "far"));
  EXPECT_EQ(result->hits[0][2].record.document, "far text");
  EXPECT_EQ(result->hits[0][2].record.metadata, (Metadata{{"k", std::string("v")}}));
  EXPECT_NEAR(result->hits[0][0].distance, exact_distance(DistanceMetric::cosine, {1, 0}, {1, 0.1F}), 1e-5);
  EXPECT_NEAR(result->hits[0][2].distance, 2, 1e-5);
}

TEST_P(QueryTest, C5_OneListPerQueryAlways) {
  const QueryRequest two{.embeddings = {{1, 0}, {-1, 0}}, .n_results = 2};
  const auto empty = collection().query(two);
  ASSERT_TRUE(ok(empty));
  EXPECT_THAT(empty->hits, ElementsAre(IsEmpty(), IsEmpty())) << "no hit is never an error";
  fill();
  const auto full = collection().query(two);
  ASSERT_TRUE(ok(full));
  ASSERT_THAT(full->hits, SizeIs(2));
  EXPECT_THAT(ids_of(full->hits[0]), ElementsAre("near", "middle"));
  EXPECT_THAT(ids_of(full->hits[1]), ElementsAre("far", "middle"));
  QueryRequest nothing = two;
  nothing.where = where(R"({"k": "no such value"})");
  EXPECT_THAT(value(collection().query(nothing)).hits, ElementsAre(IsEmpty(), IsEmpty()));
}

TEST_P(QueryTest, C5_TenResultsUnlessAskedOtherwise) {
  std::vector<Record> records;
  for (int i = 0; i < 12; ++i) records.push_back(record("r" + std::to_string(i), "", {1, static_cast<float>(i)}));
  ASSERT_TRUE(ok(collection().add(records)));
  EXPECT_THAT(value(collection().query({.embeddings = {{1, 0}}})).hits[0], SizeIs(10));
  EXPECT_THAT(value(collection().query({.embeddings = {{1, 0}}, .n_results = 3})).hits[0], SizeIs(3));
  EXPECT_THAT(value(collection().query({.embeddings = {{1, 0}}, .n_results = 100})).hits[0], SizeIs(12));
  EXPECT_THAT(
      value(collection().query({.embeddings = {{1, 0}}, .n_results = std::numeric_limits<std::size_t>::max()})).hits[0],
      SizeIs(12));
}

TEST_P(QueryTest, C5_EqualDistancesAreOrderedById) {
  ASSERT_TRUE(ok(collection().add(std::vector{record("c"), record("a"), record("e"), record("b"), record("d")})));
  EXPECT_THAT(ids_of(value(collection().query({.embeddings = {{1, 0}}})).hits[0]),
              ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_THAT(ids_of(value(collection().query({.embeddings = {{1, 0}}, .n_results = 2})).hits[0]),
              ElementsAre("a", "b"))
      << "the cut falls between equals, by id too";
  reopen();
  EXPECT_THAT(ids_of(value(collection().query({.embeddings = {{1, 0}}, .n_results = 3})).hits[0]),
              ElementsAre("a", "b", "c"));
}

TEST_P(QueryTest, C5_ExactlyOneOfTextsAndEmbeddingsAndNotEmpty) {
  fill();
  const WordEmbedder embedder("words", 2);
  reopen({.embedder = &embedder});
  for (const QueryRequest& request : {
           QueryRequest{},
           QueryRequest{.texts = {"near"}, .embeddings = {{1, 0}}},
           QueryRequest{.texts = {""}},
           QueryRequest{.texts = {"near", "\xff"}},
           QueryRequest{.texts = {std::string("a\0b", 3)}},
           QueryRequest{.embeddings = {{1, 0}, {}}},
           QueryRequest{.embeddings = {{0, 0}}},
           QueryRequest{.embeddings = {{1, std::nanf("")}}},
           QueryRequest{.embeddings = {{1, std::numeric_limits<float>::infinity()}}},
           QueryRequest{.embeddings = {{1, 0}}, .n_results = 0},
       }) {
    EXPECT_EQ(error_kind(collection().query(request)), ErrorKind::invalid_argument);
  }
}

TEST_P(QueryTest, C5_AQueryByTextUsesTheEmbedder) {
  EXPECT_EQ(error_kind(collection().query({.texts = {"near"}})), ErrorKind::invalid_argument) << "there is none";
  const WordEmbedder embedder;
  reopen({.embedder = &embedder});
  ASSERT_TRUE(ok(collection().add(std::vector<Record>{{.id = "cat", .document = "the cat sleeps"},
                                                      {.id = "car", .document = "a fast red engine"}})));
  const auto result = collection().query({.texts = {"cat sleeps", "fast engine"}, .n_results = 1});
  ASSERT_TRUE(ok(result));
  ASSERT_THAT(result->hits, SizeIs(2));
  EXPECT_THAT(ids_of(result->hits[0]), ElementsAre("cat"));
  EXPECT_THAT(ids_of(result->hits[1]), ElementsAre("car"));
}

TEST_P(QueryTest, C5_RecordsThatWaitForTheirVectorAreLeftOut) {
  if (!keeps_waiting_records()) GTEST_SKIP() << GetParam().name << " embeds texts when they are written";
  ASSERT_TRUE(ok(collection().add(std::vector<Record>{{.id = "waits", .document = "text"}, record("ready")})));
  EXPECT_EQ(value(collection().info()).pending, 1U);
  EXPECT_THAT(ids_of(value(collection().query({.embeddings = {{1, 0}}})).hits[0]), ElementsAre("ready"));
  ASSERT_TRUE(ok(collection().update(std::vector<RecordUpdate>{{.id = "waits", .embedding = {{1, 0}}}})));
  EXPECT_EQ(value(collection().info()).pending, 0U);
  EXPECT_THAT(ids_of(value(collection().query({.embeddings = {{1, 0}}})).hits[0]), ElementsAre("ready", "waits"));
}

TEST_P(QueryTest, C6_HitsCarryWhatIsAskedFor) {
  fill();
  const auto only = [&](const Include& include) {
    return value(collection().query({.embeddings = {{-1, 0}}, .n_results = 1, .include = include})).hits[0].at(0);
  };
  const Hit bare = only({.documents = false, .metadatas = false, .distances = false});
  EXPECT_EQ(bare, (Hit{.record = {.id = "far"}, .distance = 0}));
  const Hit usual = value(collection().query({.embeddings = {{-1, 0}}, .n_results = 1})).hits[0].at(0);
  EXPECT_EQ(usual.record, (Record{.id = "far", .document = "far text", .metadata = {{"k", std::string("v")}}}));
  const Hit vector = only({.documents = false, .metadatas = false, .embeddings = true});
  EXPECT_EQ(vector.record.embedding, has(capability::kEmbeddingsOut) ? std::optional(Embedding{-1, 0}) : std::nullopt);
  EXPECT_EQ(vector.record.document, "");
}

TEST_P(QueryTest, C6_EmbeddingsAskedForAndNoHitKeepTheShape) {
  fill();
  const auto result = collection().query(
      {.embeddings = {{1, 0}, {0, 1}}, .where = where(R"({"k": "none"})"), .include = {.embeddings = true}});
  ASSERT_TRUE(ok(result));
  EXPECT_THAT(result->hits, ElementsAre(IsEmpty(), IsEmpty()));
}

TEST_P(QueryTest, B1_DistancesFollowTheMetricOfTheCollection) {
  const std::vector<Embedding> vectors{{1, 0, 2}, {3, 4, 0}, {-1, 2, 0.5F}, {0.1F, 0, 0}};
  const Embedding query{1, 2, 3};
  for (const DistanceMetric metric : {DistanceMetric::cosine, DistanceMetric::l2, DistanceMetric::ip}) {
    const std::shared_ptr<Collection> other = make_collection(palace(), to_string(metric), {.metric = metric});
    EXPECT_EQ(value(other->info()).metric, metric);
    std::vector<Record> records;
    for (std::size_t i = 0; i < vectors.size(); ++i) records.push_back(record(std::to_string(i), "", vectors[i]));
    ASSERT_TRUE(ok(other->add(records)));
    const auto result = other->query({.embeddings = {query}});
    ASSERT_TRUE(ok(result));
    ASSERT_THAT(result->hits[0], SizeIs(vectors.size()));
    double last = -std::numeric_limits<double>::infinity();
    for (const Hit& hit : result->hits[0]) {
      const double expected = exact_distance(metric, query, vectors[std::stoul(hit.record.id)]);
      EXPECT_NEAR(hit.distance, expected, 1e-4) << to_string(metric) << ' ' << hit.record.id;
      EXPECT_GE(hit.distance, last);
      last = hit.distance;
    }
  }
}

TEST_P(QueryTest, B1_TheMetricIsKeptAndTheDefaultIsCosine) {
  EXPECT_EQ(value(collection().info()).metric, DistanceMetric::cosine);
  make_collection(palace(), "squared", {.metric = DistanceMetric::l2});
  reopen();
  EXPECT_EQ(value(make_collection(palace(), "squared", {.metric = DistanceMetric::ip})->info()).metric,
            DistanceMetric::l2)
      << "the metric of a collection that is there is not changed";
}

constexpr float kHuge = 1e30F;
constexpr float kTiny = 1e-30F;

TEST_P(QueryTest, E2_VectorsOfAnyFiniteSizeAreRanked) {
  // Of any size that this backend takes: the next test is about the others.
  const float huge = std::min(kHuge, GetParam().longest_vector / 2);
  const float tiny = std::max(kTiny, GetParam().shortest_vector);
  ASSERT_TRUE(ok(collection().add(
      std::vector{record("huge", "", {huge, huge}), record("tiny", "", {tiny, 0}), record("usual", "", {-1, 0})})));
  for (const float scale : {1.0F, kHuge, kTiny}) {
    const auto result = collection().query({.embeddings = {{scale, 0}}});
    ASSERT_TRUE(ok(result));
    EXPECT_THAT(ids_of(result->hits[0]), ElementsAre("tiny", "huge", "usual")) << scale;
    for (const Hit& hit : result->hits[0]) EXPECT_TRUE(std::isfinite(hit.distance)) << hit.record.id;
  }
}

TEST_P(QueryTest, E2_AVectorThatIsTooLongOrTooShortIsRefusedAndStoresNothing) {
  ASSERT_TRUE(ok(collection().add(std::vector{record("usual")})));
  const auto is_taken = [&](float length) {
    return GetParam().shortest_vector <= length && length <= GetParam().longest_vector;
  };
  std::vector<std::string> expected{"usual"};
  for (const float length : {kHuge, kTiny}) {
    const std::string id = length > 1 ? "huge" : "tiny";
    const auto added = collection().add(std::vector{record("with " + id), record(id, "", {length, 0})});
    if (is_taken(length)) {
      EXPECT_TRUE(ok(added));
      expected.insert(expected.end(), {"with " + id, id});
    } else {
      EXPECT_EQ(error_kind(added), ErrorKind::invalid_argument) << length;
    }
  }
  EXPECT_EQ(ids_in(collection()), expected);
}

TEST_P(QueryTest, E2_QueriesOfAnyFiniteSizeAreAnsweredFromManyRecords) {
  // More than a backend measures one by one before it asks an index, in batches that all of them take.
  for (int batch = 0; batch < 400; batch += 100) {
    std::vector<Record> records;
    for (int i = batch; i < batch + 100; ++i) {
      records.push_back(record("r" + std::to_string(i), "", {1, static_cast<float>(i) / 10}));
    }
    ASSERT_TRUE(ok(collection().add(records)));
  }
  for (const float scale : {1.0F, kHuge, kTiny}) {
    const auto result = collection().query({.embeddings = {{scale, 0}}, .n_results = 3});
    ASSERT_TRUE(ok(result)) << scale;
    EXPECT_THAT(ids_of(result->hits[0]), ElementsAre("r0", "r1", "r2")) << scale;
    for (const Hit& hit : result->hits[0]) EXPECT_TRUE(std::isfinite(hit.distance)) << hit.record.id;
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, QueryTest, testing::ValuesIn(backends_under_test()), backend_name);

}  // namespace
}  // namespace loci::conformance
