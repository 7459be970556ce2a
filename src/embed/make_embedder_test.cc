#include "embed/make_embedder.h"

#include <gtest/gtest.h>

namespace loci {
namespace {

TEST(MakeEmbedderTest, NoneIsNoEmbedder) {
  const auto embedder = make_embedder("none");
  ASSERT_TRUE(embedder.ok());
  EXPECT_EQ(*embedder, nullptr);
}

TEST(MakeEmbedderTest, HashTakesADimension) {
  EXPECT_EQ(make_embedder("hash").value()->dimension(), 384U);
  EXPECT_EQ(make_embedder("hash-8").value()->model_name(), "hash-8");
}

TEST(MakeEmbedderTest, AnUnknownNameIsAnErrorThatListsWhatThereIs) {
  for (const char* name : {"", "Hash", "hash-", "hash-0", "hash-99999", "hash-8x", "hash--8", "minilm2"}) {
    const auto embedder = make_embedder(name);
    ASSERT_FALSE(embedder.ok()) << name;
    EXPECT_EQ(embedder.error().kind, ErrorKind::invalid_argument);
    EXPECT_NE(embedder.error().message.find("none"), std::string::npos);
    EXPECT_NE(embedder.error().message.find("hash"), std::string::npos);
  }
}

}  // namespace
}  // namespace loci
