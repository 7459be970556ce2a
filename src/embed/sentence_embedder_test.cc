#include "embed/sentence_embedder.h"

#include <cmath>
#include <numeric>
#include <thread>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/sha256.h"
#include "base/temporary_folder.h"
#include "embed/tiny_model.h"

namespace loci {
namespace {

namespace fs = std::filesystem;

double cosine(const Embedding& a, const Embedding& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

class SentenceEmbedderTest : public testing::Test {
 protected:
  void SetUp() override { model_.write(path()); }

  fs::path path() const { return folder_.path() / "tiny"; }
  std::unique_ptr<SentenceEmbedder> open(SentenceEmbedderOptions options = {}) const {
    Result<std::unique_ptr<SentenceEmbedder>> embedder = SentenceEmbedder::open(path(), options);
    EXPECT_TRUE(embedder.ok()) << embedder.error().message;
    return std::move(*embedder);
  }
  std::string open_error() const {
    const Result<std::unique_ptr<SentenceEmbedder>> embedder = SentenceEmbedder::open(path());
    return embedder.ok() ? "opened" : embedder.error().message;
  }

  TemporaryFolder folder_;
  TinyModel model_;
};

std::vector<std::string> many_texts() {
  std::vector<std::string> texts = {"", "the", "drawers, rooms.", "[MASK]"};
  for (std::size_t i = 0; i < 40; ++i) {
    std::string text;
    for (std::size_t word = 0; word <= i % 23; ++word)
      text += std::string(1, static_cast<char>('a' + (i + word) % 18)) + " ";
    texts.push_back(text);
  }
  return texts;
}

TEST_F(SentenceEmbedderTest, NamesTheModelAfterItsFolder) {
  EXPECT_EQ(open()->model_name(), "tiny");
  EXPECT_EQ(open({.long_text = LongText::windows})->model_name(), "tiny+windows");
  EXPECT_EQ(open()->dimension(), 32U);
}

TEST_F(SentenceEmbedderTest, FloatVectorsAreThoseOfTheTextbook) {
  const auto embedder = open({.precision = Precision::float32});
  const std::vector<std::string> texts = many_texts();
  const std::vector<Embedding> vectors = embedder->embed(texts).value();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_GT(cosine(vectors[i], model_.reference_vector(embedder->tokens(texts[i]))), 0.999999) << texts[i];
  }
}

TEST_F(SentenceEmbedderTest, Int8VectorsAreNearThem) {
  const auto embedder = open();
  const std::vector<std::string> texts = many_texts();
  const std::vector<Embedding> vectors = embedder->embed(texts).value();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_GT(cosine(vectors[i], model_.reference_vector(embedder->tokens(texts[i]))), 0.995) << texts[i];
  }
}

TEST_F(SentenceEmbedderTest, AVectorDoesNotDependOnTheTextsBesideIt) {
  for (const Precision precision : {Precision::int8, Precision::float32}) {
    const auto embedder = open({.precision = precision});
    const std::vector<std::string> texts = many_texts();
    const std::vector<Embedding> together = embedder->embed(texts).value();
    for (std::size_t i = 0; i < texts.size(); ++i) {
      EXPECT_EQ(embedder->embed(std::vector{texts[i]}).value().front(), together[i]) << texts[i];
    }
  }
}

TEST_F(SentenceEmbedderTest, ManyThreadsMayEmbedAtOnce) {
  const auto embedder = open({.threads = 3});
  const std::vector<std::string> texts = many_texts();
  const std::vector<Embedding> expected = open({.threads = 1})->embed(texts).value();
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back([&] { EXPECT_EQ(embedder->embed(texts).value(), expected); });
  for (std::thread& thread : threads) thread.join();
}

TEST_F(SentenceEmbedderTest, CutsLongTextsUnlessToldToUseWindows) {
  std::string start;
  for (int i = 0; i < 22; ++i) start += "a ";
  const auto cut = open();
  EXPECT_EQ(cut->count_tokens(start + "b c d"), 24U);
  EXPECT_EQ(cut->embed(std::vector{start + "b c d"}).value(), cut->embed(std::vector{start}).value());

  const auto windows = open({.long_text = LongText::windows});
  EXPECT_EQ(windows->count_tokens(start + "b c d"), 24U + 5U);
  EXPECT_NE(windows->embed(std::vector{start + "b c d"}).value(), windows->embed(std::vector{start}).value());
  EXPECT_EQ(windows->embed(std::vector{start}).value(), cut->embed(std::vector{start}).value());
}

TEST_F(SentenceEmbedderTest, AnyTextGetsAUnitVector) {
  const auto embedder = open();
  const std::vector<std::string> texts = {
      "",
      "   \n",
      "\U0001F44D\U0001F3FD",
      std::string("\x00\x01\x1F", 3),
      std::string(10U << 20, 'x'),
      "\u0905\u0928\u0941 \u05E9\u05DC\u05D5\u05DD \u0E44\u0E17\u0E22 \u10E5\u10D0"};
  const std::vector<Embedding> vectors = embedder->embed(texts).value();
  for (const Embedding& vector : vectors) EXPECT_NEAR(cosine(vector, vector), 1.0, 1e-5);
}

TEST_F(SentenceEmbedderTest, RefusesWhatIsNotUtf8) {
  const auto vectors = open()->embed(std::vector<std::string>{"good", "\xFF"});
  ASSERT_FALSE(vectors.ok());
  EXPECT_EQ(vectors.error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(vectors.error().message, "text 2 of 2 is not valid UTF-8");
}

TEST_F(SentenceEmbedderTest, MapsThePackedModelAndMakesItAgainWhenItIsDamaged) {
  const std::vector<Embedding> expected = open()->embed(many_texts()).value();
  EXPECT_TRUE(open()->is_mapped());
  std::string packed = read_file(packed_model_path(path())).value();
  for (const std::size_t at : {std::size_t{3}, std::size_t{60}, packed.size() / 2, packed.size() - 70}) {
    std::string damaged = packed;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    ASSERT_TRUE(write_file_atomically(packed_model_path(path()), damaged).ok());
    EXPECT_EQ(open()->embed(many_texts()).value(), expected);
    EXPECT_EQ(read_file(packed_model_path(path())).value(), packed) << "not made again after damage at " << at;
  }
  ASSERT_TRUE(write_file_atomically(packed_model_path(path()), packed.substr(0, packed.size() / 2)).ok());
  EXPECT_EQ(open()->embed(many_texts()).value(), expected);
}

TEST_F(SentenceEmbedderTest, APackedModelThatIsCutOffInUseIsAnError) {
  const auto embedder = open();
  ASSERT_TRUE(embedder->is_mapped());
  fs::resize_file(packed_model_path(path()), 200);
  const auto vectors = embedder->embed(many_texts());
  ASSERT_FALSE(vectors.ok());
  EXPECT_EQ(vectors.error().kind, ErrorKind::corruption);
  EXPECT_TRUE(open()->embed(many_texts()).ok());
}

TEST_F(SentenceEmbedderTest, TheFingerprintIsThatOfTheModelWhereverItLies) {
  const std::string before = open()->fingerprint();
  EXPECT_EQ(open()->fingerprint(), before) << "from the packed model";
  EXPECT_EQ(open({.precision = Precision::float32})->fingerprint(), before);
  const fs::path elsewhere = folder_.path() / "elsewhere";
  model_.write(elsewhere);
  EXPECT_EQ(SentenceEmbedder::open(elsewhere).value()->fingerprint(), before);
  fs::create_directory(path() / "1_Pooling");
  ASSERT_TRUE(write_file_atomically(path() / "1_Pooling" / "config.json", R"({"pooling_mode_cls_token": true})").ok());
  EXPECT_NE(open()->fingerprint(), before);
  TinyModel(2).write(elsewhere);
  EXPECT_NE(SentenceEmbedder::open(elsewhere).value()->fingerprint(), before);
}

TEST_F(SentenceEmbedderTest, MakesThePackedModelAgainWhenTheWeightsHaveChanged) {
  const std::vector<Embedding> before = open()->embed(many_texts()).value();
  TinyModel(2).write(path());
  EXPECT_NE(open()->embed(many_texts()).value(), before);
}

TEST_F(SentenceEmbedderTest, KeepsThePackedModelInMemoryWhereItCannotBeWritten) {
  const std::vector<Embedding> expected = open()->embed(many_texts()).value();
  fs::remove(packed_model_path(path()));
  fs::create_directory(packed_model_path(path()));  // no file can take this name
  const auto embedder = open();
  EXPECT_FALSE(embedder->is_mapped());
  EXPECT_EQ(embedder->embed(many_texts()).value(), expected);
}

TEST_F(SentenceEmbedderTest, NamesTheFileThatIsMissingOrWrong) {
  ASSERT_TRUE(write_file_atomically(path() / "model.safetensors", "not weights").ok());
  EXPECT_NE(open_error().find("model.safetensors is no sound safetensors file"), std::string::npos) << open_error();
  fs::remove(path() / "model.safetensors");
  EXPECT_NE(open_error().find("there are no weights in"), std::string::npos) << open_error();
  ASSERT_TRUE(write_file_atomically(path() / "tokenizer.json", "{}").ok());
  model_.write(path());
  fs::remove(path() / "config.json");
  EXPECT_NE(open_error().find("config.json"), std::string::npos) << open_error();
}

TEST_F(SentenceEmbedderTest, TellsAFlippedBitByTheChecksumOfTheSetUp) {
  std::string weights = model_.safetensors();
  const std::string pin = "models/tiny optional package@1 model/model.safetensors " + to_hex(sha256(weights)) + "\n";
  ASSERT_TRUE(write_file_atomically(path() / ".pins", pin).ok());
  EXPECT_EQ(open_error(), "opened");
  weights[weights.size() - 100] = static_cast<char>(weights[weights.size() - 100] ^ 1);
  ASSERT_TRUE(write_file_atomically(path() / "model.safetensors", weights).ok());
  EXPECT_NE(open_error().find("model.safetensors is damaged: it has another SHA-256"), std::string::npos);
}

TEST_F(SentenceEmbedderTest, TellsAFlippedBitByTheChecksumsThatItIsGiven) {
  std::string weights = model_.safetensors();
  const std::string sha = to_hex(sha256(weights));
  const SentenceEmbedderOptions options = {
      .pins = {{"model.safetensors", "of another source"}, {"model.safetensors", sha}, {"model.onnx", "not there"}}};
  EXPECT_TRUE(SentenceEmbedder::open(path(), options).ok());
  weights[weights.size() - 100] = static_cast<char>(weights[weights.size() - 100] ^ 1);
  ASSERT_TRUE(write_file_atomically(path() / "model.safetensors", weights).ok());
  const auto opened = SentenceEmbedder::open(path(), options);
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().message.find("model.safetensors is damaged: it has another SHA-256"), std::string::npos);
}

TEST_F(SentenceEmbedderTest, RefusesWeightsThatAreNotFinite) {
  std::string weights = model_.safetensors();
  for (std::size_t i = 1; i <= 2; ++i) weights[weights.size() - i] = '\x7F';  // a NaN at the end
  weights[weights.size() - 2] = '\xFF';
  ASSERT_TRUE(write_file_atomically(path() / "model.safetensors", weights).ok());
  EXPECT_NE(open_error().find("holds a number that is not finite"), std::string::npos) << open_error();
}

}  // namespace
}  // namespace loci
