// A palace whose records wait for vectors, or for those of another model, and what every vector in it must be.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "embed/hash_embedder.h"
#include "loci/backend.h"
#include "loci/embedder.h"

namespace loci::crash {

// Vectors of the hash embedder, so that each shows its text and its model. Takes its time, so that kills find it at
// work.
class SlowEmbedder final : public Embedder {
 public:
  explicit SlowEmbedder(std::size_t dimension, int delay_us = 0) : inner_(dimension), delay_us_(delay_us) {}
  std::string model_name() const override { return inner_.model_name(); }
  std::size_t dimension() const override { return inner_.dimension(); }
  Result<std::vector<Embedding>> embed(std::span<const std::string> texts) const override;

  std::size_t texts_seen() const { return texts_seen_; }

 private:
  HashEmbedder inner_;
  int delay_us_;
  mutable std::size_t texts_seen_ = 0;  // for one thread
};

inline constexpr std::size_t kOldDimension = 8;
inline constexpr std::size_t kNewDimension = 16;

// A palace of so many records: without vectors, or with those of the old model.
Status make_waiting_palace(const PalaceRef& palace, int records);
Status make_old_palace(const PalaceRef& palace, int records);

// Works on the queue until nothing is left for this process.
Status embed_all(const PalaceRef& palace, const Embedder& embedder);

// Goes over to the embedder's model: from the start, or on with it. True: it is done, by whichever process.
Result<bool> reembed_all(const PalaceRef& palace, const Embedder& embedder);

// What is wrong with the vectors: one that is not what the collection's model makes of the record's text, or a record
// that has none although none may wait. Empty when all is well.
enum class Waiting { allowed, forbidden };
std::vector<std::string> wrong_vectors(const PalaceRef& palace, Waiting waiting);

}  // namespace loci::crash
