#include "embed/make_embedder.h"

#include <gtest/gtest.h>

#include "base/temporary_folder.h"
#include "embed/tiny_model.h"
#include "net/loopback_server.h"

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

TEST(MakeEmbedderTest, AServersModelIsNamedAfterAColon) {
  const auto ollama = make_embedder("ollama:nomic-embed-text");
  ASSERT_TRUE(ollama.ok());
  EXPECT_EQ((*ollama)->model_name(), "nomic-embed-text");
  EXPECT_TRUE(make_embedder("openai:text-embedding-3-small", {.url = "http://127.0.0.1:1"}).ok());
  for (const char* name : {"ollama:", "openai:", "ollama"}) EXPECT_FALSE(make_embedder(name).ok()) << name;
  EXPECT_TRUE(asks_a_server("ollama:nomic-embed-text"));
  EXPECT_FALSE(asks_a_server("minilm"));
  EXPECT_EQ(make_embedder("ollama:m", {.url = "localhost:11434"}).error().kind, ErrorKind::invalid_argument);
}

TEST(MakeEmbedderTest, WithBriefPatienceAServerIsAskedOnce) {
  LoopbackServer server({http_answer(503, "loading")});
  const std::vector<std::string> texts = {"one"};
  const auto embedder = make_embedder("ollama:m", {.url = server.url(), .patience = Patience::brief}).value();
  EXPECT_EQ(embedder->embed(texts).error().kind, ErrorKind::unavailable);
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(MakeEmbedderTest, LongTextsAreReadInWindowsByAModelOfThatName) {
  const TemporaryFolder folder;
  TinyModel().write(folder.path() / "tiny");
  const EmbedderOptions options = {
      .models = {.built_in = folder.path(), .registered = {{"mine", folder.path() / "tiny"}}}};
  const auto plain = make_embedder("mine", options).value();
  const auto windows = make_embedder("mine+windows", options).value();
  EXPECT_EQ(windows->model_name(), "mine+windows");
  std::vector<std::string> texts = {"the room"};
  EXPECT_EQ(*windows->embed(texts), *plain->embed(texts));
  for (int i = 0; i < 40; ++i) texts.front() += " drawers";
  EXPECT_NE(*windows->embed(texts), *plain->embed(texts));
  EXPECT_FALSE(make_embedder("hash+windows", options).ok());
}

TEST(MakeEmbedderTest, AModelWithoutItsFilesSaysWhatFetchesThem) {
  const TemporaryFolder folder;
  const auto embedder = make_embedder("minilm", {.models = {.built_in = folder.path()}});
  ASSERT_FALSE(embedder.ok());
  EXPECT_EQ(embedder.error().kind, ErrorKind::unavailable);
  EXPECT_NE(embedder.error().message.find("tools/setup.sh"), std::string::npos) << embedder.error().message;
  EXPECT_EQ(default_embedder({.built_in = folder.path()}), "none");
}

}  // namespace
}  // namespace loci
