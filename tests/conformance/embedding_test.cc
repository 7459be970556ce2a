// E1 to E5: vectors, their dimension and the model that made them.
#include <bit>
#include <cmath>
#include <limits>

#include "tests/conformance/fixture.h"

namespace loci::conformance {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class EmbeddingTest : public CollectionFixture {
 protected:
  Result<std::shared_ptr<Collection>> open(const OpenOptions& options) {
    return backend().collection(palace(), "drawers", options);
  }
  Status set_embedder(std::string_view model, std::optional<std::size_t> dimension = {},
                      ModelSwap swap = ModelSwap::refuse) {
    return backend().set_embedder(palace(), "drawers", model, dimension, swap);
  }
  // A collection whose vectors nobody has put a name to.
  void keep_vector_of_unknown_model() {
    ASSERT_TRUE(ok(collection().add(std::vector{record("old", "old text", Embedding(8, 1))})));
  }
};

Record text(std::string id, std::string document) { return {.id = std::move(id), .document = std::move(document)}; }

TEST_P(EmbeddingTest, E1_GivenVectorsAreKeptBitForBit) {
  const bool is_exact = GetParam().vector_tolerance == 0;
  const Embedding vector =
      is_exact ? Embedding{0.1F, -0.0F, std::numeric_limits<float>::min(), std::numeric_limits<float>::max(), 1e-42F}
               : Embedding{0.1F, -0.0F, 37.0F, -1.5F, 1e-6F};
  ASSERT_TRUE(ok(collection().add(std::vector{record("a", "text", vector)})));
  reopen();
  EXPECT_EQ(value(collection().info()).dimension, 5U);
  if (!has(capability::kEmbeddingsOut)) return;
  const Record kept = get_one(collection(), "a", {.embeddings = true});
  ASSERT_TRUE(kept.embedding);
  ASSERT_EQ(kept.embedding->size(), vector.size());
  if (!has(capability::kEmbeddingsPassthrough)) return;
  expect_vector(kept.embedding, vector);
  if (!is_exact) return;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>((*kept.embedding)[i]), std::bit_cast<std::uint32_t>(vector[i])) << i;
  }
}

TEST_P(EmbeddingTest, E1_AGivenVectorIsNotComputedAnew) {
  if (!has(capability::kEmbeddingsOut)) GTEST_SKIP() << GetParam().name << " gives no vectors back";
  const WordEmbedder embedder;
  reopen({.embedder = &embedder});
  ASSERT_TRUE(ok(collection().add(std::vector{record("a", "some text", Embedding(8, 2))})));
  expect_vector(get_one(collection(), "a", {.embeddings = true}).embedding, Embedding(8, 2));
}

TEST_P(EmbeddingTest, E1_AnUpsertOfTheSameDocumentKeepsItsVector) {
  const WordEmbedder embedder;
  for (const Embedder* each : {static_cast<const Embedder*>(nullptr), static_cast<const Embedder*>(&embedder)}) {
    reopen({.embedder = each});
    ASSERT_TRUE(ok(collection().upsert(std::vector{record("a", "some text", Embedding(8, 2))})));
    ASSERT_TRUE(ok(
        collection().upsert(std::vector<Record>{{.id = "a", .document = "some text", .metadata = {{"new", true}}}})));
    EXPECT_EQ(get_one(collection(), "a").metadata, (Metadata{{"new", true}}));
    EXPECT_EQ(value(collection().info()).pending, 0U);
    if (has(capability::kEmbeddingsOut)) {
      expect_vector(get_one(collection(), "a", {.embeddings = true}).embedding, Embedding(8, 2));
    }
  }
}

TEST_P(EmbeddingTest, E1_AnUpsertOfAnotherDocumentDropsTheOldVector) {
  ASSERT_TRUE(ok(collection().add(std::vector{record("a", "some text")})));
  if (!keeps_waiting_records()) {
    EXPECT_EQ(error_kind(collection().upsert(std::vector{text("a", "other text")})), ErrorKind::unsupported);
    EXPECT_EQ(get_one(collection(), "a").document, "some text") << "a text never stands beside the vector of another";
    return;
  }
  ASSERT_TRUE(ok(collection().upsert(std::vector{text("a", "other text")})));
  EXPECT_EQ(value(collection().info()).pending, 1U);
  EXPECT_TRUE(value(collection().query({.embeddings = {{1, 0}}})).hits[0].empty());
}

TEST_P(EmbeddingTest, E2_TheFirstVectorFixesTheDimension) {
  EXPECT_EQ(value(collection().info()).dimension, std::nullopt);
  const bool keeps_waiting = keeps_waiting_records();
  if (keeps_waiting) {
    ASSERT_TRUE(ok(collection().add(std::vector{text("waits", "no vector yet")})));
    EXPECT_EQ(value(collection().info()).dimension, std::nullopt);
  }
  ASSERT_TRUE(ok(collection().add(std::vector{record("a", "", {1, 2, 3})})));
  EXPECT_EQ(value(collection().info()).dimension, 3U);
  for (const bool is_reopened : {false, true}) {
    if (is_reopened) reopen();
    const auto wrong = collection().add(std::vector{record("b", "", {1, 2, 3}), record("c", "", {1, 2})});
    EXPECT_EQ(error_kind(wrong), ErrorKind::dimension_mismatch);
    EXPECT_THAT(error_message(wrong), HasSubstr("2"));
    EXPECT_THAT(error_message(wrong), HasSubstr("3"));
    EXPECT_EQ(error_kind(collection().upsert(std::vector{record("a", "", {1, 2, 3, 4})})),
              ErrorKind::dimension_mismatch);
    EXPECT_EQ(error_kind(collection().query({.embeddings = {{1, 2}}})), ErrorKind::dimension_mismatch);
    EXPECT_EQ(error_kind(collection().query({.embeddings = {{1, 2, 3}, {1, 2}}})), ErrorKind::dimension_mismatch);
    EXPECT_EQ(ids_in(collection()),
              keeps_waiting ? std::vector<std::string>({"waits", "a"}) : std::vector<std::string>({"a"}));
  }
  ASSERT_TRUE(ok(collection().erase({.ids = {{"a", "waits"}}})));
  EXPECT_EQ(error_kind(collection().add(std::vector{record("b", "", {1, 2})})), ErrorKind::dimension_mismatch)
      << "it stays fixed when the vectors are gone";
}

TEST_P(EmbeddingTest, E2_VectorsOfOneBatchAgree) {
  EXPECT_EQ(error_kind(collection().add(std::vector{record("a", "", {1, 2}), record("b", "", {1, 2, 3})})),
            ErrorKind::dimension_mismatch);
  EXPECT_EQ(value(collection().info()).dimension, std::nullopt) << "a refused write fixes nothing";
  EXPECT_EQ(value(collection().count()), 0U);
}

TEST_P(EmbeddingTest, E2_AVectorThatPointsNowhereIsRefused) {
  for (const Embedding& vector :
       {Embedding{}, Embedding{0, 0}, Embedding{-0.0F, 0}, Embedding{1, std::nanf("")},
        Embedding{std::numeric_limits<float>::infinity(), 0}, Embedding{0, -std::numeric_limits<float>::infinity()}}) {
    const std::vector<Record> batch{record("a"), record("b", "", vector)};
    EXPECT_EQ(error_kind(collection().add(batch)), ErrorKind::invalid_argument);
    EXPECT_EQ(error_kind(collection().upsert(batch)), ErrorKind::invalid_argument);
  }
  EXPECT_EQ(value(collection().count()), 0U);
  EXPECT_EQ(value(collection().info()).dimension, std::nullopt);
}

TEST_P(EmbeddingTest, E2_AnEmbedderThatAnswersWronglyStoresNothing) {
  class ZeroEmbedder : public WordEmbedder {
   public:
    Result<std::vector<Embedding>> embed(std::span<const std::string> texts) const override {
      return std::vector<Embedding>(texts.size(), Embedding(8, 0));
    }
  };
  class BrokenEmbedder : public WordEmbedder {
   public:
    Result<std::vector<Embedding>> embed(std::span<const std::string>) const override {
      return Error{ErrorKind::unavailable, "the model is away"};
    }
  };
  const ZeroEmbedder zero;
  reopen({.embedder = &zero});
  EXPECT_FALSE(collection().add(std::vector{text("a", "words")}).ok());
  const BrokenEmbedder broken;
  reopen({.embedder = &broken});
  EXPECT_EQ(error_kind(collection().add(std::vector{text("a", "words")})), ErrorKind::unavailable);
  EXPECT_EQ(error_kind(collection().query({.texts = {"words"}})), ErrorKind::unavailable);
  EXPECT_EQ(value(collection().count()), 0U);
  EXPECT_EQ(value(collection().info()).model, "") << "nothing was embedded";
}

TEST_P(EmbeddingTest, E3_TheFirstWriteThatEmbedsRecordsTheModel) {
  const WordEmbedder embedder("words", 8);
  reopen({.embedder = &embedder});
  EXPECT_EQ(value(collection().info()).model, "");
  ASSERT_TRUE(ok(collection().add(std::vector{text("a", "words"), record("b", "own vector", Embedding(8, 1))})));
  reopen({.embedder = &embedder});
  EXPECT_EQ(value(collection().info()).model, "words");
  EXPECT_EQ(value(collection().info()).dimension, 8U);
  EXPECT_EQ(value(collection().info()).pending, 0U);
  EXPECT_TRUE(ok(collection().upsert(std::vector{text("a", "other words")}))) << "known_match";
}

TEST_P(EmbeddingTest, E3_AnotherModelDoesNotOpen) {
  const WordEmbedder embedder("words", 8);
  reopen({.embedder = &embedder});
  ASSERT_TRUE(ok(collection().add(std::vector{text("a", "words")})));
  const WordEmbedder other("others", 8);
  const auto opened = open({.embedder = &other});
  EXPECT_EQ(error_kind(opened), ErrorKind::embedder_mismatch);
  EXPECT_THAT(error_message(opened), HasSubstr("words"));
  EXPECT_THAT(error_message(opened), HasSubstr("others"));
  EXPECT_EQ(error_kind(open({.if_missing = IfMissing::create, .embedder = &other})), ErrorKind::embedder_mismatch);
  EXPECT_EQ(value(collection().info()).model, "words");
  EXPECT_TRUE(ok(open({}))) << "without an embedder there is nothing to compare";
}

TEST_P(EmbeddingTest, E3_AForcedSwapGoesOnWithTheOtherModel) {
  const WordEmbedder embedder("words", 8);
  reopen({.embedder = &embedder});
  ASSERT_TRUE(ok(collection().add(std::vector{text("a", "words")})));
  const WordEmbedder other("others", 8);
  const auto swapped = open({.embedder = &other, .model_swap = ModelSwap::force});
  ASSERT_TRUE(ok(swapped));
  EXPECT_EQ(value((*swapped)->info()).model, "others");
  EXPECT_TRUE(ok((*swapped)->add(std::vector{text("b", "more words")})));
  EXPECT_EQ(error_kind(open({.embedder = &embedder})), ErrorKind::embedder_mismatch);
  const WordEmbedder wider("wider", 16);
  EXPECT_EQ(error_kind(open({.embedder = &wider, .model_swap = ModelSwap::force})), ErrorKind::dimension_mismatch)
      << "vectors of two dimensions cannot be in one collection";
}

TEST_P(EmbeddingTest, E2_AModelOfAnotherDimensionDoesNotOpen) {
  const WordEmbedder embedder("words", 8);
  reopen({.embedder = &embedder});
  ASSERT_TRUE(ok(collection().add(std::vector{text("a", "words")})));
  const WordEmbedder wider("words", 16);
  EXPECT_EQ(error_kind(open({.embedder = &wider})), ErrorKind::dimension_mismatch);
}

TEST_P(EmbeddingTest, E3_VectorsOfAnUnknownModelAreReadAndNotMixedWithText) {
  keep_vector_of_unknown_model();
  const WordEmbedder embedder("words", 8);
  reopen({.embedder = &embedder});
  EXPECT_EQ(value(collection().info()).model, "");
  EXPECT_EQ(get_one(collection(), "old").document, "old text");
  EXPECT_TRUE(ok(collection().query({.texts = {"old"}})));
  const auto refused = collection().add(std::vector{text("new", "new text")});
  EXPECT_EQ(error_kind(refused), ErrorKind::embedder_mismatch);
  EXPECT_THAT(error_message(refused), HasSubstr("set-embedder"));
  EXPECT_EQ(error_kind(collection().update(std::vector<RecordUpdate>{{.id = "old", .document = "new text"}})),
            ErrorKind::embedder_mismatch);
  EXPECT_THAT(ids_in(collection()), ElementsAre("old"));
  EXPECT_EQ(get_one(collection(), "old").document, "old text");
  EXPECT_EQ(value(collection().info()).model, "");

  EXPECT_TRUE(ok(collection().add(std::vector{record("own", "own vector", Embedding(8, 2))})))
      << "writes that bring their own vectors are accepted";
  EXPECT_EQ(value(collection().info()).model, "") << "and leave the model unknown";
}

TEST_P(EmbeddingTest, E3_SetEmbedderConfirmsTheModel) {
  keep_vector_of_unknown_model();
  EXPECT_EQ(error_kind(set_embedder("words", 16)), ErrorKind::dimension_mismatch);
  EXPECT_EQ(error_kind(set_embedder("")), ErrorKind::invalid_argument);
  ASSERT_TRUE(ok(set_embedder("words", 8)));
  EXPECT_TRUE(ok(set_embedder("words"))) << "saying it again is fine";
  const WordEmbedder embedder("words", 8);
  reopen({.embedder = &embedder});
  EXPECT_EQ(value(collection().info()).model, "words");
  EXPECT_TRUE(ok(collection().add(std::vector{text("new", "new text")})));
  EXPECT_EQ(error_kind(set_embedder("others")), ErrorKind::embedder_mismatch);
  EXPECT_EQ(value(collection().info()).model, "words");
  EXPECT_TRUE(ok(set_embedder("others", {}, ModelSwap::force)));
  EXPECT_EQ(value(collection().info()).model, "others");
}

TEST_P(EmbeddingTest, E3_OwnVectorsInANewCollectionLeaveTheModelUnknown) {
  const WordEmbedder embedder("words", 8);
  reopen({.embedder = &embedder});
  ASSERT_TRUE(ok(collection().add(std::vector{record("own", "own vector", {1, 2, 3})}))) << "of any dimension";
  EXPECT_EQ(value(collection().info()).model, "");
  EXPECT_EQ(value(collection().info()).dimension, 3U);
  EXPECT_EQ(error_kind(collection().add(std::vector{text("new", "new text")})), ErrorKind::embedder_mismatch);
}

TEST_P(EmbeddingTest, E3_AnEmptyCollectionIsNotBoundByTheVectorsItOnceHad) {
  keep_vector_of_unknown_model();
  ASSERT_TRUE(ok(collection().erase({.ids = {{"old"}}})));
  const WordEmbedder embedder("words", 8);
  reopen({.embedder = &embedder});
  EXPECT_TRUE(ok(collection().add(std::vector{text("new", "new text")})));
  EXPECT_EQ(value(collection().info()).model, "words");
}

TEST_P(EmbeddingTest, E3_TextThatIsEmbeddedLaterWaits) {
  if (!keeps_waiting_records()) GTEST_SKIP() << GetParam().name << " embeds texts when they are written";
  const WordEmbedder embedder("words", 8);
  reopen({.embedder = &embedder, .embed_text = EmbedText::later});
  ASSERT_TRUE(ok(collection().add(std::vector{text("a", "words"), text("b", "more words")})));
  EXPECT_EQ(value(collection().info()).pending, 2U);
  const auto result = collection().query({.texts = {"words"}});
  ASSERT_TRUE(ok(result));
  EXPECT_TRUE(result->hits[0].empty());
}

TEST_P(EmbeddingTest, E5_AnEmbedderWithoutANameIsUnknownAndNotAnError) {
  const WordEmbedder nameless("", 8);
  reopen({.embedder = &nameless});
  EXPECT_TRUE(ok(collection().add(std::vector{text("a", "words")})));
  EXPECT_TRUE(ok(collection().add(std::vector{text("b", "more words")})));
  EXPECT_EQ(value(collection().info()).model, "");
  EXPECT_TRUE(ok(collection().query({.texts = {"words"}})));
  ASSERT_TRUE(ok(set_embedder("words")));
  EXPECT_TRUE(ok(open({.embedder = &nameless}))) << "reads work";
}

INSTANTIATE_TEST_SUITE_P(Backends, EmbeddingTest, testing::ValuesIn(backends_under_test()), backend_name);

}  // namespace
}  // namespace loci::conformance
