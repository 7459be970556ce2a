// An embedder that knows no language: it hashes words into a vector. Equal texts get equal vectors and texts that share
// words are near each other, which is all that tests of the machinery around a model need.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "loci/embedder.h"

namespace loci {

class HashEmbedder final : public Embedder {
 public:
  static constexpr std::size_t kDefaultDimension = 384;

  explicit HashEmbedder(std::size_t dimension = kDefaultDimension) : dimension_(dimension) {}

  std::string model_name() const override;  // "hash-384"
  std::size_t dimension() const override { return dimension_; }

  // Unit vectors; the same on every machine. Never fails.
  Result<std::vector<Embedding>> embed(std::span<const std::string> texts) const override;

 private:
  std::size_t dimension_;  // constant after construction, at least 1
};

}  // namespace loci
