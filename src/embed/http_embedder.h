// Embedders that are servers: Ollama, and those that speak OpenAI's protocol.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loci/embedder.h"
#include "net/http_client.h"
#include "net/retry.h"

namespace loci {

enum class EmbeddingProtocol {
  ollama,  // POST /api/embed
  openai,  // POST /v1/embeddings
};

inline constexpr std::string_view kOllamaUrl = "http://localhost:11434";
inline constexpr std::string_view kOpenAiUrl = "https://api.openai.com";

struct HttpEmbedderOptions {
  EmbeddingProtocol protocol = EmbeddingProtocol::ollama;
  std::string url;    // without the path that the protocol adds
  std::string model;  // as the server calls it; also the identity that is stored
  std::optional<std::string> api_key = {};
  // What one request may hold; a single text goes whatever its length.
  std::size_t batch_texts = 64;
  std::size_t batch_bytes = std::size_t{1} << 20;
  RetryPolicy retries = {};
  HttpLimits limits = {};
  HttpTransport transport = {};  // empty: send_http within the limits
  Sleep sleep = {};              // empty: really sleeps, no longer than the stop of the limits
};

// Making one does no I/O. Its dimension is not known (0) until the server has embedded something, and must not change
// after that. Many threads may use it at once.
class HttpEmbedder final : public Embedder {
 public:
  explicit HttpEmbedder(HttpEmbedderOptions options);

  std::string model_name() const override { return options_.model; }
  std::size_t dimension() const override { return dimension_; }

  // Errors: unavailable (the server is away or busy, also after several tries), not_found (no such model or address),
  // invalid_argument (the key or a text is refused), io (an answer that makes no sense), dimension_mismatch.
  Result<std::vector<Embedding>> embed(std::span<const std::string> texts) const override;

 private:
  Result<std::vector<Embedding>> embed_batch(std::span<const std::string> texts) const;
  HttpRequest request_for(std::span<const std::string> texts) const;
  Status check_vectors(const std::vector<Embedding>& vectors) const;

  const HttpEmbedderOptions options_;  // constant after construction
  mutable std::atomic<std::size_t> dimension_ = 0;
};

// The vectors of an answer, in the order of the texts. `server` opens the messages. Errors: io.
Result<std::vector<Embedding>> parse_embeddings(EmbeddingProtocol protocol, std::string_view body, std::size_t count,
                                                std::string_view server);

}  // namespace loci
