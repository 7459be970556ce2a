// From the name in a configuration to an embedder.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "loci/embedder.h"
#include "loci/result.h"

namespace loci {

// Words only: records are stored without vectors, and found by their words.
inline constexpr std::string_view kNoEmbedder = "none";

struct EmbedderEntry {
  std::string_view name;
  std::string_view summary;
};
// What make_embedder knows, for help texts and error messages.
std::span<const EmbedderEntry> embedders();

// "none" gives a null pointer, "hash" and "hash-N" (N dimensions) a HashEmbedder. Loads nothing for a name that it does
// not know. Errors: invalid_argument, listing what there is.
Result<std::unique_ptr<Embedder>> make_embedder(std::string_view name);

}  // namespace loci
