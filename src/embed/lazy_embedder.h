// An embedder whose model is loaded when the first text is embedded: commands that only compare names, or that leave
// the work to another process, never pay for it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "loci/embedder.h"

namespace loci {

// Many threads may use it at once; one of them loads the model, the others wait for it.
class LazyEmbedder final : public Embedder {
 public:
  using Load = std::function<Result<std::unique_ptr<Embedder>>()>;

  LazyEmbedder(std::string model_name, std::size_t dimension, Load load)
      : model_name_(std::move(model_name)), dimension_(dimension), load_(std::move(load)) {}

  std::string model_name() const override { return model_name_; }
  std::size_t dimension() const override { return dimension_; }

  // Errors: those of loading and of the model. Loading that failed is tried again by the next call; a
  // model whose file was damaged in use is loaded anew at once.
  Result<std::vector<Embedding>> embed(std::span<const std::string> texts) const override;

  // 1 where the model cannot be loaded.
  double readable_share(std::string_view text) const override;

 private:
  Result<std::shared_ptr<const Embedder>> loaded() const;
  void forget(const std::shared_ptr<const Embedder>& model) const;

  const std::string model_name_;
  const std::size_t dimension_;
  const Load load_;

  mutable Mutex mutex_;
  mutable std::shared_ptr<const Embedder> model_ GUARDED_BY(mutex_);
};

}  // namespace loci
