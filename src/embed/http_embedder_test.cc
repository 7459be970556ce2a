#include "embed/http_embedder.h"

#include <gtest/gtest.h>

#include "net/loopback_server.h"

namespace loci {
namespace {

using Texts = std::vector<std::string>;

HttpEmbedderOptions options_for(const LoopbackServer& server, EmbeddingProtocol protocol) {
  return {.protocol = protocol, .url = server.url(), .model = "m", .sleep = [](std::chrono::milliseconds) {}};
}

TEST(HttpEmbedderTest, AsksOllamaForABatch) {
  LoopbackServer server({http_answer(200, R"({"model": "m", "embeddings": [[1, 0.5], [0, -2]]})")});
  const HttpEmbedder embedder(options_for(server, EmbeddingProtocol::ollama));
  EXPECT_EQ(embedder.dimension(), 0U) << "not known before the server was asked";
  EXPECT_TRUE(server.requests().empty());
  const auto vectors = embedder.embed(Texts{"one", "tw\xff"});
  ASSERT_TRUE(vectors.ok()) << vectors.error().message;
  EXPECT_EQ(*vectors, (std::vector<Embedding>{{1, 0.5}, {0, -2}}));
  EXPECT_EQ(embedder.dimension(), 2U);
  const std::string request = server.requests().at(0);
  EXPECT_TRUE(request.starts_with("POST /api/embed HTTP/1.1\r\n"));
  EXPECT_NE(request.find(R"({"input":["one","tw)"), std::string::npos) << request;
  EXPECT_EQ(request.find("Authorization"), std::string::npos);
}

TEST(HttpEmbedderTest, OrdersOpenAisVectorsByTheirIndexAndShowsTheKey) {
  LoopbackServer server(
      {http_answer(200, R"({"data": [{"index": 1, "embedding": [2]}, {"index": 0, "embedding": [1]}]})")});
  HttpEmbedderOptions options = options_for(server, EmbeddingProtocol::openai);
  options.api_key = "secret";
  const auto vectors = HttpEmbedder(options).embed(Texts{"one", "two"});
  ASSERT_TRUE(vectors.ok()) << vectors.error().message;
  EXPECT_EQ(*vectors, (std::vector<Embedding>{{1}, {2}}));
  EXPECT_TRUE(server.requests().at(0).starts_with("POST /v1/embeddings HTTP/1.1\r\n"));
  EXPECT_NE(server.requests().at(0).find("\r\nAuthorization: Bearer secret\r\n"), std::string::npos);
}

TEST(HttpEmbedderTest, TriesAgainWhileTheServerIsBusy) {
  LoopbackServer server(
      {http_answer(503, "loading"), http_answer(429, ""), http_answer(200, R"({"embeddings": [[1]]})")});
  EXPECT_TRUE(HttpEmbedder(options_for(server, EmbeddingProtocol::ollama)).embed(Texts{"one"}).ok());
  EXPECT_EQ(server.requests().size(), 3U);
}

TEST(HttpEmbedderTest, GivesUpAtOnceWhenTheStopHasCome) {
  LoopbackServer server({{.bytes = "", .stays_silent = true}});
  StopTime stop;
  stop.stop_by(StopTime::Clock::now() + std::chrono::milliseconds(50));
  const HttpEmbedder embedder({.url = server.url(), .model = "m", .limits = {.stop = &stop}});
  const auto start = StopTime::Clock::now();
  const auto vectors = embedder.embed(Texts{"one"});
  ASSERT_FALSE(vectors.ok());
  EXPECT_EQ(vectors.error().kind, ErrorKind::unavailable);
  EXPECT_EQ(server.requests().size(), 1U) << "it was asked, and not again";
  EXPECT_LT(StopTime::Clock::now() - start, std::chrono::seconds(30));
}

TEST(HttpEmbedderTest, AMissingModelSaysWhatTheServerSays) {
  LoopbackServer server({http_answer(404, R"({"error":"model \"m\" not found, try pulling it first"})")});
  const auto vectors = HttpEmbedder(options_for(server, EmbeddingProtocol::ollama)).embed(Texts{"one"});
  ASSERT_FALSE(vectors.ok());
  EXPECT_EQ(vectors.error().kind, ErrorKind::not_found);
  EXPECT_NE(vectors.error().message.find("try pulling it first"), std::string::npos) << vectors.error().message;
}

TEST(HttpEmbedderTest, SplitsWhatIsTooMuchForOneRequest) {
  std::vector<std::size_t> asked;
  HttpEmbedderOptions options = {.url = "http://h", .model = "m", .batch_texts = 3, .batch_bytes = 10};
  options.transport = [&](const HttpRequest& request) {
    std::size_t texts = 1;
    for (std::size_t at = request.body.find("\",\""); at < request.body.find("]");
         at = request.body.find("\",\"", at + 1))
      ++texts;
    asked.push_back(texts);
    std::string body = R"({"embeddings": [[1])";
    for (std::size_t i = 1; i < texts; ++i) body += ", [1]";
    return HttpResponse{.status = 200, .body = body + "]}"};
  };
  const Texts texts = {"a", "b", "c", "d", std::string(50, 'x'), "eeeee", "fffff", "g"};
  EXPECT_EQ(HttpEmbedder(options).embed(texts)->size(), texts.size());
  EXPECT_EQ(asked, (std::vector<std::size_t>{3, 1, 1, 2, 1}));
}

TEST(HttpEmbedderTest, VectorsThatPointNowhereOrChangeTheirLengthAreErrors) {
  LoopbackServer server({http_answer(200, R"({"embeddings": [[0, 0]]})"),
                         http_answer(200, R"({"embeddings": [[1e300, 0]]})"),
                         http_answer(200, R"({"embeddings": [[1, 2, 3]]})")});
  const HttpEmbedder embedder(options_for(server, EmbeddingProtocol::ollama));
  EXPECT_NE(embedder.embed(Texts{"x"}).error().message.find("all zeros"), std::string::npos);
  EXPECT_NE(embedder.embed(Texts{"x"}).error().message.find("not finite"), std::string::npos);
  EXPECT_EQ(embedder.embed(Texts{"x"}).error().kind, ErrorKind::dimension_mismatch);
}

TEST(HttpEmbedderTest, AnAnswerThatMakesNoSenseIsAnErrorThatNamesTheServer) {
  for (const char* body :
       {"", "[]", "{}", R"({"embeddings": 1})", R"({"embeddings": []})", R"({"embeddings": [[1], [2]]})",
        R"({"embeddings": [[]]})", R"({"embeddings": [["x"]]})", R"({"embeddings": [[1]])"}) {
    const auto vectors = parse_embeddings(EmbeddingProtocol::ollama, body, 1, "the server http://h");
    ASSERT_FALSE(vectors.ok()) << body;
    EXPECT_EQ(vectors.error().kind, ErrorKind::io) << body;
    EXPECT_TRUE(vectors.error().message.starts_with("the server http://h")) << vectors.error().message;
  }
  for (const char* body : {"{}", R"({"data": [1, 2]})", R"({"data": [{"index": 0, "embedding": [1]}]})",
                           R"({"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]})",
                           R"({"data": [{"index": 0, "embedding": [1]}, {"index": 2, "embedding": [1]}]})",
                           R"({"data": [{"index": 0, "embedding": [1]}, {"index": -1, "embedding": [1]}]})",
                           R"({"data": [{"index": 0, "embedding": [1]}, {"index": 1}]})"}) {
    EXPECT_FALSE(parse_embeddings(EmbeddingProtocol::openai, body, 2, "s").ok()) << body;
  }
}

}  // namespace
}  // namespace loci
