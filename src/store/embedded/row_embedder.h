// From the texts of rows to vectors.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/sha256.h"
#include "loci/embedder.h"
#include "loci/record.h"
#include "loci/result.h"
#include "store/embedded/pending_rows.h"

namespace loci::embedded {

struct EmbeddedRow {
  PendingRow row;
  std::optional<Embedding> vector = {};  // absent: there is none for this text, and why
  std::string refusal = {};
};

// Embeds equal texts once, as far as it remembers them. Many threads may use it at once.
class RowEmbedder {
 public:
  // One answer per row, in order. A text that is damaged, or that the embedder refuses, does not keep the others from
  // theirs. No transaction is open meanwhile. Errors: those of the embedder that are not about a text.
  Result<std::vector<EmbeddedRow>> embed(const Embedder& embedder, const std::vector<PendingRow>& rows)
      EXCLUDES(mutex_);

 private:
  struct Text;

  void recall(std::vector<Text>& texts) EXCLUDES(mutex_);
  void remember(const std::vector<Text>& texts) EXCLUDES(mutex_);

  Mutex mutex_;
  std::map<Sha256, Embedding> known_ GUARDED_BY(mutex_);  // by model and text
  std::size_t known_bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace loci::embedded
