// An Embedder turns texts into vectors of one dimension.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loci/record.h"
#include "loci/result.h"

namespace loci {

// All methods may be called from many threads at once.
class Embedder {
 public:
  virtual ~Embedder() = default;

  // The identity that is stored with a collection. Empty: unknown, which is a state and not an error.
  virtual std::string model_name() const = 0;

  // 0 while it is not known: a server tells it with its first vector. It never changes after that.
  virtual std::size_t dimension() const = 0;

  // One vector per text, in order, each finite and not all zeros. Errors: invalid_argument, unavailable, io.
  virtual Result<std::vector<Embedding>> embed(std::span<const std::string> texts) const = 0;

  // How much of the text the model can read, from 0 to 1; 1 where that is not known. Of a script that it never learnt
  // it reads single letters at most, and its vectors say little.
  virtual double readable_share(std::string_view /*text*/) const { return 1; }
};

}  // namespace loci
