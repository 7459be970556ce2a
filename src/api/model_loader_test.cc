#include "api/model_loader.h"

#include <atomic>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace loci {
namespace {

class AwayEmbedder final : public Embedder {
 public:
  std::atomic<bool> is_away = true;
  mutable std::atomic<int> asked = 0;

  std::string model_name() const override { return "away"; }
  std::size_t dimension() const override { return 1; }
  Result<std::vector<Embedding>> embed(std::span<const std::string> texts) const override {
    ++asked;
    if (is_away) return Error{ErrorKind::unavailable, "the server is away"};
    return std::vector<Embedding>(texts.size(), Embedding{1});
  }
};

// The first status that does not say that the model is being loaded.
Status wait_for_end(ModelLoader& loader, const Embedder& embedder) {
  Status status = loader.check(embedder, embedder);
  for (int i = 0; i < 4000 && !status.ok() && status.error().message.find("being loaded") != std::string::npos; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    status = loader.check(embedder, embedder);
  }
  return status;
}

TEST(ModelLoaderTest, AServerThatIsAwayIsSaidToBeAndTriedAgain) {
  AwayEmbedder embedder;
  ModelLoader loader(std::chrono::milliseconds(0));
  const Status away = wait_for_end(loader, embedder);
  ASSERT_FALSE(away.ok());
  EXPECT_EQ(away.error().message, "the server is away");
  embedder.is_away = false;
  Status status = loader.check(embedder, embedder);
  for (int i = 0; i < 4000 && !status.ok(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    status = loader.check(embedder, embedder);
  }
  EXPECT_TRUE(status.ok());
}

TEST(ModelLoaderTest, AServerThatIsAwayIsNotAskedByEachQuestion) {
  AwayEmbedder embedder;
  ModelLoader loader(std::chrono::hours(1));
  EXPECT_FALSE(wait_for_end(loader, embedder).ok());
  EXPECT_FALSE(loader.check(embedder, embedder).ok());
  EXPECT_EQ(embedder.asked, 1);
}

TEST(ModelLoaderTest, AnEmbedderThatFailsLaterIsTriedAnew) {
  AwayEmbedder embedder;
  embedder.is_away = false;
  ModelLoader loader;
  EXPECT_TRUE(wait_for_end(loader, embedder).ok());
  embedder.is_away = true;
  loader.forget(embedder);
  const Status status = wait_for_end(loader, embedder);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "the server is away");
}

}  // namespace
}  // namespace loci
