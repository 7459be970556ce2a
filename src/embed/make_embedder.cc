#include "embed/make_embedder.h"

#include <charconv>
#include <optional>
#include <string>

#include "embed/hash_embedder.h"

namespace loci {
namespace {

constexpr EmbedderEntry kEmbedders[] = {
    {"none", "words only, no vectors"},
    {"hash", "deterministic word hashing, for tests; hash-N for N dimensions"},
};
constexpr std::size_t kMaxHashDimension = 4096;

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

}  // namespace

std::span<const EmbedderEntry> embedders() { return kEmbedders; }

Result<std::unique_ptr<Embedder>> make_embedder(std::string_view name) {
  if (name == kNoEmbedder) return std::unique_ptr<Embedder>();
  if (const std::optional<std::size_t> dimension = hash_dimension(name)) {
    return std::unique_ptr<Embedder>(std::make_unique<HashEmbedder>(*dimension));
  }
  std::string message = "there is no embedder " + std::string(name) + "; there are";
  for (const EmbedderEntry& entry : kEmbedders) {
    message += (&entry == kEmbedders ? " " : ", ") + std::string(entry.name) + " (" + std::string(entry.summary) + ")";
  }
  return Error{ErrorKind::invalid_argument, std::move(message)};
}

}  // namespace loci
