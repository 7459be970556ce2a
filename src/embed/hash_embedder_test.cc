#include "embed/hash_embedder.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

namespace loci {
namespace {

Embedding embed(const HashEmbedder& embedder, const std::string& text) {
  return embedder.embed(std::vector{text}).value().front();
}

double dot(const Embedding& a, const Embedding& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

TEST(HashEmbedderTest, NamesItselfByItsDimension) {
  EXPECT_EQ(HashEmbedder().model_name(), "hash-384");
  EXPECT_EQ(HashEmbedder(16).model_name(), "hash-16");
  EXPECT_EQ(HashEmbedder(16).dimension(), 16U);
}

TEST(HashEmbedderTest, EqualTextsGetEqualVectorsWhateverTheirCase) {
  const HashEmbedder embedder;
  EXPECT_EQ(embed(embedder, "the roof"), embed(embedder, "the roof"));
  EXPECT_EQ(embed(embedder, "The ROOF!"), embed(embedder, "the roof"));
}

TEST(HashEmbedderTest, SharedWordsBringTextsNearer) {
  const HashEmbedder embedder;
  const Embedding question = embed(embedder, "why did we switch to graphql");
  const Embedding related = embed(embedder, "we switch to graphql because of the mobile team");
  const Embedding unrelated = embed(embedder, "bread needs flour water salt");
  EXPECT_GT(dot(question, related), dot(question, unrelated));
}

TEST(HashEmbedderTest, VectorsAreUnitVectorsAlsoForTextsWithoutWords) {
  for (const std::size_t dimension : {std::size_t{1}, std::size_t{2}, std::size_t{384}}) {
    const HashEmbedder embedder(dimension);
    for (const char* text : {"", " ", "...", "word", "a b c d e f g h", "ключ", "\xf0\x9f\x8f\x9b"}) {
      const Embedding vector = embed(embedder, text);
      ASSERT_EQ(vector.size(), dimension);
      EXPECT_NEAR(dot(vector, vector), 1.0, 1e-5) << '"' << text << "\" in " << dimension << " dimensions";
    }
  }
}

TEST(HashEmbedderTest, GivesOneVectorPerText) {
  const std::vector<std::string> texts = {"a", "b", "a"};
  const std::vector<Embedding> vectors = HashEmbedder().embed(texts).value();
  ASSERT_EQ(vectors.size(), 3U);
  EXPECT_EQ(vectors[0], vectors[2]);
  EXPECT_NE(vectors[0], vectors[1]);
}

}  // namespace
}  // namespace loci
