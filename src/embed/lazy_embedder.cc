#include "embed/lazy_embedder.h"

namespace loci {

Result<std::shared_ptr<const Embedder>> LazyEmbedder::loaded() const {
  const MutexLock lock(mutex_);
  if (model_ == nullptr) model_ = TRY(load_());
  return model_;
}

void LazyEmbedder::forget(const std::shared_ptr<const Embedder>& model) const {
  const MutexLock lock(mutex_);
  if (model_ == model) model_ = nullptr;  // else another thread has loaded it anew
}

Result<std::vector<Embedding>> LazyEmbedder::embed(std::span<const std::string> texts) const {
  const std::shared_ptr<const Embedder> model = TRY(loaded());
  Result<std::vector<Embedding>> vectors = model->embed(texts);
  if (vectors.ok() || vectors.error().kind != ErrorKind::corruption) return vectors;
  forget(model);
  return TRY(loaded())->embed(texts);
}

double LazyEmbedder::readable_share(std::string_view text) const {
  const Result<std::shared_ptr<const Embedder>> model = loaded();
  return model.ok() ? (*model)->readable_share(text) : 1;
}

}  // namespace loci
