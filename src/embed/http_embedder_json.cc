// The two protocols' JSON.
#include <cmath>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "embed/http_embedder.h"
#include "net/url.h"

namespace loci {
namespace {

using Json = nlohmann::json;

Error bad_answer(std::string_view server, const std::string& why) {
  return {ErrorKind::io, std::string(server) + " gave an answer that makes no sense: " + why};
}

std::optional<Embedding> to_embedding(const Json& list) {
  if (!list.is_array() || list.empty()) return std::nullopt;
  Embedding vector;
  vector.reserve(list.size());
  for (const Json& value : list) {
    if (!value.is_number()) return std::nullopt;
    vector.push_back(static_cast<float>(value.get<double>()));
  }
  return vector;
}

const Json* member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

// {"embeddings": [[…], …]}, in order.
Result<std::vector<Embedding>> from_ollama(const Json& answer, std::size_t count, std::string_view server) {
  const Json* list = member(answer, "embeddings");
  if (list == nullptr || !list->is_array()) return bad_answer(server, "there are no embeddings in it");
  if (list->size() != count)
    return bad_answer(server, std::to_string(list->size()) + " vectors for " + std::to_string(count) + " texts");
  std::vector<Embedding> vectors;
  for (const Json& entry : *list) {
    std::optional<Embedding> vector = to_embedding(entry);
    if (!vector) return bad_answer(server, "a vector is no list of numbers");
    vectors.push_back(std::move(*vector));
  }
  return vectors;
}

// {"data": [{"index": 1, "embedding": […]}, …]}, in any order.
Result<std::vector<Embedding>> from_openai(const Json& answer, std::size_t count, std::string_view server) {
  const Json* list = member(answer, "data");
  if (list == nullptr || !list->is_array()) return bad_answer(server, "there is no data in it");
  if (list->size() != count)
    return bad_answer(server, std::to_string(list->size()) + " vectors for " + std::to_string(count) + " texts");
  std::vector<Embedding> vectors(count);
  for (const Json& entry : *list) {
    const Json* index = entry.is_object() ? member(entry, "index") : nullptr;
    const Json* values = entry.is_object() ? member(entry, "embedding") : nullptr;
    if (index == nullptr || !index->is_number_unsigned() || index->get<std::uint64_t>() >= count)
      return bad_answer(server, "a vector without an index of a text");
    Embedding& vector = vectors[index->get<std::size_t>()];
    if (!vector.empty()) return bad_answer(server, "two vectors for text " + std::to_string(index->get<std::size_t>()));
    std::optional<Embedding> given = values == nullptr ? std::nullopt : to_embedding(*values);
    if (!given) return bad_answer(server, "a vector is no list of numbers");
    vector = std::move(*given);
  }
  return vectors;
}

}  // namespace

HttpRequest HttpEmbedder::request_for(std::span<const std::string> texts) const {
  const bool is_ollama = options_.protocol == EmbeddingProtocol::ollama;
  Json body = {{"model", options_.model}, {"input", texts}};
  if (is_ollama) {
    body["truncate"] = true;
  } else {
    body["encoding_format"] = "float";
  }
  HttpRequest request = {.method = "POST",
                         .url = join_url(options_.url, is_ollama ? "/api/embed" : "/v1/embeddings"),
                         .headers = {{"Content-Type", "application/json"}, {"Accept", "application/json"}},
                         .body = body.dump(-1, ' ', false, Json::error_handler_t::replace)};
  if (options_.api_key) request.headers.emplace_back("Authorization", "Bearer " + *options_.api_key);
  return request;
}

Result<std::vector<Embedding>> parse_embeddings(EmbeddingProtocol protocol, std::string_view body, std::size_t count,
                                                std::string_view server) {
  const Json answer = Json::parse(body.begin(), body.end(), nullptr, false);
  if (answer.is_discarded() || !answer.is_object()) return bad_answer(server, "it is no JSON object");
  return protocol == EmbeddingProtocol::ollama ? from_ollama(answer, count, server)
                                               : from_openai(answer, count, server);
}

}  // namespace loci
