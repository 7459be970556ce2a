#include "embed/http_embedder.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <thread>
#include <utility>

#include "net/url.h"

namespace loci {
namespace {

std::string server_name(const HttpEmbedderOptions& options) { return "the embedding server " + options.url; }

// How many of the texts go into the next request.
std::size_t batch_size(std::span<const std::string> texts, const HttpEmbedderOptions& options) {
  std::size_t bytes = 0;
  std::size_t count = 0;
  while (count < texts.size() && count < options.batch_texts) {
    bytes += texts[count].size();
    if (count > 0 && bytes > options.batch_bytes) break;
    ++count;
  }
  return count;
}

HttpEmbedderOptions with_network(HttpEmbedderOptions options) {
  if (!options.transport) {
    options.transport = [limits = options.limits](const HttpRequest& request) { return send_http(request, limits); };
  }
  if (!options.sleep) {
    options.sleep = [stop = options.limits.stop](std::chrono::milliseconds wait) {
      stop != nullptr ? stop->sleep(wait) : std::this_thread::sleep_for(wait);
    };
  }
  return options;
}

}  // namespace

HttpEmbedder::HttpEmbedder(HttpEmbedderOptions options) : options_(with_network(std::move(options))) {}

Result<std::vector<Embedding>> HttpEmbedder::embed(std::span<const std::string> texts) const {
  std::vector<Embedding> vectors;
  vectors.reserve(texts.size());
  while (!texts.empty()) {
    const std::size_t count = batch_size(texts, options_);
    std::vector<Embedding> batch = TRY(embed_batch(texts.first(count)));
    std::move(batch.begin(), batch.end(), std::back_inserter(vectors));
    texts = texts.subspan(count);
  }
  return vectors;
}

Result<std::vector<Embedding>> HttpEmbedder::embed_batch(std::span<const std::string> texts) const {
  const HttpResponse response =
      TRY(send_with_retries(options_.transport, request_for(texts), options_.retries, options_.sleep));
  if (response.status < 200 || response.status > 299) return status_error(server_name(options_), response);
  std::vector<Embedding> vectors =
      TRY(parse_embeddings(options_.protocol, response.body, texts.size(), server_name(options_)));
  TRY(check_vectors(vectors));
  return vectors;
}

Status HttpEmbedder::check_vectors(const std::vector<Embedding>& vectors) const {
  for (const Embedding& vector : vectors) {
    std::size_t expected = 0;
    // The first vector ever decides, whichever thread brings it.
    if (!dimension_.compare_exchange_strong(expected, vector.size()) && expected != vector.size()) {
      return Error{ErrorKind::dimension_mismatch, server_name(options_) + " gave " + std::to_string(vector.size()) +
                                                      " dimensions; it gave " + std::to_string(expected) + " before"};
    }
    const bool is_finite = std::all_of(vector.begin(), vector.end(), [](float value) { return std::isfinite(value); });
    const bool is_zero = std::all_of(vector.begin(), vector.end(), [](float value) { return value == 0; });
    if (!is_finite || is_zero) {
      return Error{ErrorKind::io, server_name(options_) + " gave a vector that " +
                                      (is_finite ? "is all zeros" : "is not finite") + "; try another model"};
    }
  }
  return {};
}

}  // namespace loci
