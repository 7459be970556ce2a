#include "embed/lazy_embedder.h"

#include <gtest/gtest.h>

#include "embed/hash_embedder.h"

namespace loci {
namespace {

const std::vector<std::string> kTexts = {"green tea"};

TEST(LazyEmbedderTest, LoadsOnceAndWithTheFirstTextOnly) {
  int loads = 0;
  const LazyEmbedder embedder("m", 8, [&]() -> Result<std::unique_ptr<Embedder>> {
    ++loads;
    return std::unique_ptr<Embedder>(std::make_unique<HashEmbedder>(8));
  });
  EXPECT_EQ(embedder.model_name(), "m");
  EXPECT_EQ(embedder.dimension(), 8U);
  EXPECT_EQ(loads, 0);
  EXPECT_EQ(*embedder.embed(kTexts), *HashEmbedder(8).embed(kTexts));
  EXPECT_TRUE(embedder.embed(kTexts).ok());
  EXPECT_EQ(loads, 1);
}

TEST(LazyEmbedderTest, AFailureToLoadIsReportedAndTriedAgain) {
  int loads = 0;
  const LazyEmbedder embedder("m", 8, [&]() -> Result<std::unique_ptr<Embedder>> {
    if (++loads == 1) return Error{ErrorKind::io, "no weights"};
    return std::unique_ptr<Embedder>(std::make_unique<HashEmbedder>(8));
  });
  EXPECT_EQ(embedder.embed(kTexts).error().message, "no weights");
  EXPECT_TRUE(embedder.embed(kTexts).ok());
}

class ForeignEmbedder final : public Embedder {
 public:
  std::string model_name() const override { return "m"; }
  std::size_t dimension() const override { return 8; }
  Result<std::vector<Embedding>> embed(std::span<const std::string> texts) const override {
    return HashEmbedder(8).embed(texts);
  }
  double readable_share(std::string_view) const override { return 0.25; }
};

TEST(LazyEmbedderTest, ReadsWhatItsModelReads) {
  const LazyEmbedder embedder("m", 8, []() -> Result<std::unique_ptr<Embedder>> {
    return std::unique_ptr<Embedder>(std::make_unique<ForeignEmbedder>());
  });
  EXPECT_DOUBLE_EQ(embedder.readable_share("tea"), 0.25);
  const LazyEmbedder away("m", 8, []() -> Result<std::unique_ptr<Embedder>> {
    return Error{ErrorKind::io, "no weights"};
  });
  EXPECT_DOUBLE_EQ(away.readable_share("tea"), 1);
}

class DamagedEmbedder final : public Embedder {
 public:
  std::string model_name() const override { return "m"; }
  std::size_t dimension() const override { return 8; }
  Result<std::vector<Embedding>> embed(std::span<const std::string>) const override {
    return Error{ErrorKind::corruption, "cut off"};
  }
};

TEST(LazyEmbedderTest, AModelThatWasDamagedInUseIsLoadedAnew) {
  int loads = 0;
  const LazyEmbedder embedder("m", 8, [&]() -> Result<std::unique_ptr<Embedder>> {
    if (++loads == 1) return std::unique_ptr<Embedder>(std::make_unique<DamagedEmbedder>());
    return std::unique_ptr<Embedder>(std::make_unique<HashEmbedder>(8));
  });
  EXPECT_EQ(*embedder.embed(kTexts), *HashEmbedder(8).embed(kTexts));
  EXPECT_EQ(loads, 2);
}

}  // namespace
}  // namespace loci
