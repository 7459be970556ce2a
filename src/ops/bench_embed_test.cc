#include "ops/bench_embed.h"

#include <gtest/gtest.h>

#include "embed/hash_embedder.h"

namespace loci {
namespace {

// Fails from the second call on.
class FailingEmbedder final : public Embedder {
 public:
  std::string model_name() const override { return "failing"; }
  std::size_t dimension() const override { return 1; }
  Result<std::vector<Embedding>> embed(std::span<const std::string> texts) const override {
    if (calls_++ > 0) return Error{ErrorKind::unavailable, "gone"};
    return std::vector<Embedding>(texts.size(), Embedding{1.0F});
  }

 private:
  mutable int calls_ = 0;
};

TEST(BenchEmbedTest, MeasuresTextsOfTheWantedLength) {
  const EmbedBenchResult result =
      bench_embed(HashEmbedder(), count_words, {.texts = 3, .tokens_per_text = 50, .rounds = 2}).value();
  EXPECT_EQ(result.tokens, 150U);
  EXPECT_GT(result.tokens_per_second, 0);
  EXPECT_GT(result.texts_per_second, 0);
  EXPECT_LE(result.query_ms, result.first_query_ms);
}

TEST(BenchEmbedTest, StopsWhereTheCounterSaysSo) {
  const auto two_a_word = [](std::string_view text) { return 2 * count_words(text); };
  const EmbedBenchResult result =
      bench_embed(HashEmbedder(), two_a_word, {.texts = 1, .tokens_per_text = 64, .rounds = 1}).value();
  EXPECT_EQ(result.tokens, 64U);
}

TEST(BenchEmbedTest, WithoutTextsOnlyAQuestionIsMeasured) {
  const EmbedBenchResult result = bench_embed(HashEmbedder(), count_words, {.texts = 0}).value();
  EXPECT_GT(result.first_query_ms, 0);
  EXPECT_EQ(result.tokens, 0U);
}

TEST(BenchEmbedTest, PassesErrorsOn) {
  EXPECT_EQ(bench_embed(FailingEmbedder(), count_words).error().kind, ErrorKind::unavailable);
  EXPECT_EQ(bench_embed(HashEmbedder(), count_words, {.rounds = 0}).error().kind, ErrorKind::invalid_argument);
}

TEST(CountWordsTest, CountsWhatSpacesSeparate) {
  EXPECT_EQ(count_words(""), 0U);
  EXPECT_EQ(count_words(" one  two\nthree "), 3U);
}

}  // namespace
}  // namespace loci
