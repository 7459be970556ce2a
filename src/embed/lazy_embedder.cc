#include "embed/lazy_embedder.h"

namespace loci {

Result<const Embedder*> LazyEmbedder::loaded() const {
  const MutexLock lock(mutex_);
  if (model_ == nullptr) model_ = TRY(load_());
  return const_cast<const Embedder*>(model_.get());
}

Result<std::vector<Embedding>> LazyEmbedder::embed(std::span<const std::string> texts) const {
  return TRY(loaded())->embed(texts);
}

}  // namespace loci
