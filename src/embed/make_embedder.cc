#include "embed/make_embedder.h"

#include <charconv>
#include <chrono>
#include <string>
#include <utility>

#include "embed/hash_embedder.h"
#include "embed/http_embedder.h"
#include "embed/lazy_embedder.h"
#include "embed/sentence_embedder.h"
#include "net/url.h"

namespace loci {
namespace {

constexpr EmbedderEntry kEmbedders[] = {
    {"none", "words only, no vectors"},
    {"minilm", "all-MiniLM-L6-v2 on this machine, or another of `loci model list`"},
    {"minilm+windows", "the same, which reads up to 64 times as much of a long text, in pieces"},
    {"ollama:MODEL", "a model of an Ollama server"},
    {"openai:MODEL", "a model of a server that speaks OpenAI's protocol"},
    {"hash", "deterministic word hashing, for tests; hash-N for N dimensions"},
};
constexpr std::size_t kMaxHashDimension = 4096;
// A server may have to load its model first.
constexpr std::chrono::seconds kBriefTimeout{60};

// The N of "hash-N"; 384 for "hash".
std::optional<std::size_t> hash_dimension(std::string_view name) {
  if (name == "hash") return HashEmbedder::kDefaultDimension;
  if (!name.starts_with("hash-")) return std::nullopt;
  name.remove_prefix(5);
  std::size_t dimension = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), dimension);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  if (dimension < 1 || dimension > kMaxHashDimension) return std::nullopt;
  return dimension;
}

Error no_such_embedder(std::string_view name) {
  std::string message = "there is no embedder " + std::string(name) + "; there are";
  for (const EmbedderEntry& entry : kEmbedders) {
    message += (&entry == kEmbedders ? " " : ", ") + std::string(entry.name) + " (" + std::string(entry.summary) + ")";
  }
  return {ErrorKind::invalid_argument, std::move(message)};
}

// The protocol of "ollama:MODEL" or "openai:MODEL", with the model in `name`.
std::optional<EmbeddingProtocol> take_protocol(std::string_view& name) {
  constexpr std::pair<std::string_view, EmbeddingProtocol> kPrefixes[] = {{"ollama:", EmbeddingProtocol::ollama},
                                                                          {"openai:", EmbeddingProtocol::openai}};
  for (const auto& [prefix, protocol] : kPrefixes) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    return protocol;
  }
  return std::nullopt;
}

Result<std::unique_ptr<Embedder>> make_http_embedder(EmbeddingProtocol protocol, std::string_view model,
                                                     const EmbedderOptions& options) {
  if (model.empty()) return Error{ErrorKind::invalid_argument, "the embedder names no model after the colon"};
  const bool is_ollama = protocol == EmbeddingProtocol::ollama;
  HttpEmbedderOptions made = {.protocol = protocol,
                              .url = options.url.value_or(std::string(is_ollama ? kOllamaUrl : kOpenAiUrl)),
                              .model = std::string(model),
                              .api_key = options.api_key,
                              .limits = {.stop = options.stop}};
  if (options.patience == Patience::brief) {
    made.limits.total_timeout = kBriefTimeout;
    made.retries.attempts = 1;
  }
  TRY(parse_url(made.url));
  if (!made.api_key && !is_ollama && made.url == kOpenAiUrl) made.api_key = options.openai_api_key;
  return std::unique_ptr<Embedder>(std::make_unique<HttpEmbedder>(std::move(made)));
}

Result<std::unique_ptr<Embedder>> open_local_embedder(const ModelFolder& model) {
  Result<std::unique_ptr<SentenceEmbedder>> opened = SentenceEmbedder::open(
      model.folder,
      {.long_text = model.reads_windows ? LongText::windows : LongText::truncate, .pins = pins_of(model)});
  if (!opened.ok()) {
    Error error = opened.error();
    const std::string command = fetching_command(model);
    if (error.kind == ErrorKind::corruption && !command.empty()) error.message += ": " + command;
    return error;
  }
  if (model.fingerprint && (*opened)->fingerprint() != *model.fingerprint) {
    return Error{ErrorKind::embedder_mismatch,
                 "the files in " + model.folder.string() + " are not those that the model " + model.name +
                     " was added with, and vectors of two models cannot be compared; put them back, or add the folder "
                     "under another name with loci model add"};
  }
  return std::unique_ptr<Embedder>(*std::move(opened));
}

Result<std::unique_ptr<Embedder>> make_local_embedder(const ModelFolder& model) {
  if (!model.is_present || !model.dimension) return missing_model(model);
  const LazyEmbedder::Load load = [model] { return open_local_embedder(model); };
  return std::unique_ptr<Embedder>(std::make_unique<LazyEmbedder>(model.identity, *model.dimension, load));
}

}  // namespace

std::span<const EmbedderEntry> embedders() { return kEmbedders; }

Result<std::unique_ptr<Embedder>> make_embedder(std::string_view name, const EmbedderOptions& options) {
  if (name == kNoEmbedder) return std::unique_ptr<Embedder>();
  if (const std::optional<std::size_t> dimension = hash_dimension(name)) {
    return std::unique_ptr<Embedder>(std::make_unique<HashEmbedder>(*dimension));
  }
  std::string_view model = name;
  if (const std::optional<EmbeddingProtocol> protocol = take_protocol(model))
    return make_http_embedder(*protocol, model, options);
  Result<ModelFolder> folder = find_model(options.models, name);
  if (!folder.ok()) return no_such_embedder(name);
  return make_local_embedder(*folder);
}

bool asks_a_server(std::string_view name) { return take_protocol(name).has_value(); }

std::string_view default_embedder(const ModelPlaces& models) {
  const Result<ModelFolder> model = find_model(models, kDefaultModel);
  return model.ok() && model->is_present ? kDefaultModel : kNoEmbedder;
}

}  // namespace loci
