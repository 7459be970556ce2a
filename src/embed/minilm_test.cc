// The model that comes with the program, if its files are there: does it give the vectors of the reference?
#include <cmath>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "embed/sentence_embedder.h"

namespace loci {
namespace {

struct Reference {
  std::string text;
  std::size_t tokens;
  std::vector<float> every_48th;  // number of its vector, as ONNX Runtime computes it in float32
};

const std::vector<Reference>& references() {
  static const std::vector<Reference> kReferences = {
      {"The cat sleeps on the sofa",
       8,
       {0.161023F, 0.026850F, 0.029733F, 0.038198F, 0.006152F, -0.027272F, -0.005246F, -0.023592F}},
      {"Why did we switch to GraphQL last year?",
       13,
       {-0.050466F, 0.060619F, 0.026097F, -0.077983F, -0.006241F, -0.042803F, -0.011305F, 0.014564F}},
      {"Быстрая лиса прыгает, Straße, 日本語 – naïve café!",
       31,
       {0.061019F, 0.034051F, -0.024305F, 0.079897F, -0.015642F, 0.133569F, 0.041983F, -0.064450F}},
      {"error 0x80070005 in src/net/http.cc:42 — see ticket LOCI-17",
       28,
       {-0.050685F, 0.018843F, 0.006854F, -0.006597F, 0.012806F, -0.055156F, 0.050886F, -0.123079F}},
  };
  return kReferences;
}

class MiniLmTest : public testing::TestWithParam<Precision> {
 protected:
  void SetUp() override {
    const std::filesystem::path folder =
        std::filesystem::path(LOCI_SOURCE_FOLDER) / ".deps" / "models" / "all-MiniLM-L6-v2";
    if (!exists(folder / "model.fp16.safetensors")) GTEST_SKIP() << "the weights are not in " << folder;
    Result<std::unique_ptr<SentenceEmbedder>> opened = SentenceEmbedder::open(folder, {.precision = GetParam()});
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    embedder_ = std::move(*opened);
  }

  // How far a number of a vector may be from the reference's.
  float tolerance() const { return GetParam() == Precision::float32 ? 3e-4F : 0.02F; }

  void expect_reference(const std::vector<Embedding>& vectors) const {
    for (std::size_t i = 0; i < references().size(); ++i) {
      for (std::size_t j = 0; j < 8; ++j)
        EXPECT_NEAR(vectors[i][48 * j], references()[i].every_48th[j], tolerance()) << references()[i].text << ' ' << j;
    }
  }

  static std::vector<std::string> texts() {
    std::vector<std::string> texts;
    for (const Reference& reference : references()) texts.push_back(reference.text);
    return texts;
  }

  std::unique_ptr<SentenceEmbedder> embedder_;
};

TEST_P(MiniLmTest, TokensAndVectorsAreThoseOfTheReference) {
  for (const Reference& reference : references())
    EXPECT_EQ(embedder_->count_tokens(reference.text), reference.tokens) << reference.text;
  expect_reference(embedder_->embed(texts()).value());
}

TEST_P(MiniLmTest, ReadsTheScriptThatItLearnt) {
  EXPECT_GT(embedder_->readable_share("Why did we switch to GraphQL last year?"), 0.9);
  EXPECT_GT(embedder_->readable_share("Warum haben wir letztes Jahr die Datenbank gewechselt?"), 0.85);
  EXPECT_LT(embedder_->readable_share("Почему мы сменили базу данных?"), 0.3);
  EXPECT_LT(embedder_->readable_share("हमने डेटाबेस क्यों बदला?"), 0.3);
  EXPECT_LT(embedder_->readable_share("\u6211\u4EEC\u4E3A\u4EC0\u4E48\u6362\u6570\u636E\u5E93\uFF1F"), 0.7);
  EXPECT_DOUBLE_EQ(embedder_->readable_share("\xFF"), 1) << "which embed() refuses";
}

TEST_P(MiniLmTest, ThreadsMayShareIt) {
  std::vector<std::vector<Embedding>> vectors(3);
  {
    std::vector<std::jthread> threads;
    for (std::vector<Embedding>& result : vectors)
      threads.emplace_back([&] { result = embedder_->embed(texts()).value(); });
  }
  for (const std::vector<Embedding>& result : vectors) expect_reference(result);
}

INSTANTIATE_TEST_SUITE_P(Precisions, MiniLmTest, testing::Values(Precision::float32, Precision::int8),
                         [](const auto& test) { return test.param == Precision::int8 ? "int8" : "float32"; });

}  // namespace
}  // namespace loci
