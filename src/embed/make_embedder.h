// From the name in a configuration to an embedder.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/stop_time.h"
#include "embed/models.h"
#include "loci/embedder.h"
#include "loci/result.h"

namespace loci {

// Words only: records are stored without vectors, and found by their words.
inline constexpr std::string_view kNoEmbedder = "none";

// With a server that takes its time or is away.
enum class Patience {
  usual,
  brief,  // it is asked once, for someone who can do without its answer
};

// What an embedder may need to know; faces and configuration say it.
struct EmbedderOptions {
  ModelPlaces models = {};
  std::optional<std::string> url = {};             // of an embedding server, instead of its usual one
  std::optional<std::string> api_key = {};         // for whichever server it is
  std::optional<std::string> openai_api_key = {};  // for OpenAI's own server, and never sent to another
  Patience patience = Patience::usual;
  const StopTime* stop = nullptr;  // when it has come, no server is waited for; null: never
};

struct EmbedderEntry {
  std::string_view name;
  std::string_view summary;
};
// The kinds there are, for help texts and error messages.
std::span<const EmbedderEntry> embedders();

// "none" gives a null pointer, "hash" and "hash-N" (N dimensions) a HashEmbedder, "ollama:MODEL" and "openai:MODEL" an
// HttpEmbedder, and the name of a model (embed/models.h), with kWindowsSuffix or without, one that runs here. Reads no
// weights and asks no server: that happens with the first text. Errors: invalid_argument, listing what there is;
// unavailable for a model whose files are missing.
Result<std::unique_ptr<Embedder>> make_embedder(std::string_view name, const EmbedderOptions& options = {});

// Does the embedder of that name have a server do the work?
bool asks_a_server(std::string_view name);

// What is used when nothing is configured: the default model where its files are, else "none".
std::string_view default_embedder(const ModelPlaces& models);

}  // namespace loci
