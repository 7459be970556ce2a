// Re-embedding of an embedded collection, step by step.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "loci/reembedding.h"
#include "store/embedded/collection_access.h"
#include "store/embedded/pending_rows.h"
#include "store/embedded/row_embedder.h"

namespace loci::embedded {

class EmbeddedReembedding final : public Reembedding {
 public:
  explicit EmbeddedReembedding(CollectionAccess access) : access_(std::move(access)) {}

  Result<std::optional<ReembeddingState>> state() const override;
  Status start(const Embedder& embedder) override;
  Result<ReembeddingStep> step(const Embedder& embedder, std::size_t limit) override;
  Status abandon() override;

 private:
  // Rows for one step; those before the last look are looked at again only when the end is reached.
  Result<std::vector<std::int64_t>> lease(RowLeases& leases, const Embedder& embedder, std::size_t limit);
  Result<ReembeddingStep> store(const Embedder& embedder, const std::vector<EmbeddedRow>& made);
  Result<ReembeddingStep> finish(const Embedder& embedder);

  const CollectionAccess access_;
  RowEmbedder rows_;
  std::atomic<std::int64_t> last_row_ = 0;  // a hint that saves looking at finished rows
};

}  // namespace loci::embedded
