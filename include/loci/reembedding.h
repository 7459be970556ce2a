// Re-embedding: giving all vectors of a collection to another model while the old ones stay in use.
//
// New vectors are made in small steps, beside the old ones, by any number of processes at once; they survive whatever
// ends a process. When every record that has a vector has a new one, all are exchanged in one transaction together with
// the collection's model and dimension. A backend that cannot do this has none (Collection::reembedding() is null).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "loci/collection.h"
#include "loci/embedder.h"
#include "loci/result.h"

namespace loci {

struct ReembeddingState {
  std::string model;      // the one that makes the new vectors
  std::size_t done = 0;   // records that have theirs
  std::size_t total = 0;  // records that need one

  friend bool operator==(const ReembeddingState&, const ReembeddingState&) = default;
};

struct ReembeddingStep {
  std::size_t embedded = 0;
  std::vector<RefusedText> refused =
      {};  // the new model does not take them; their vector is missing after the exchange
  // The new vectors are in use. While this is false, nothing embedded or refused means that the rest is being embedded
  // by other processes.
  bool is_finished = false;
};

// All methods may be called from many threads at once.
class Reembedding {
 public:
  virtual ~Reembedding() = default;

  // Nothing when none is under way.
  virtual Result<std::optional<ReembeddingState>> state() const = 0;

  // Begins with this embedder's model. One that is under way with the same model goes on; one with another model is
  // given up, with what it has made. Errors: invalid_argument for an embedder without a name; already_exists when all
  // vectors are by that model; after a forced swap they may not be, although it is the recorded one.
  virtual Status start(const Embedder& embedder) = 0;

  // Makes up to `limit` new vectors, or, when none is missing any more, puts them into use. Records that change
  // meanwhile are embedded again. Errors: not_found when none is under way with this embedder's model (it may have been
  // finished, replaced or given up by another process); dimension_mismatch; those of the embedder.
  virtual Result<ReembeddingStep> step(const Embedder& embedder, std::size_t limit) = 0;

  // Gives up what is under way; the vectors in use stay. No error when nothing is.
  virtual Status abandon() = 0;
};

}  // namespace loci
