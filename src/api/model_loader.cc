#include "api/model_loader.h"

#include <string>
#include <utility>
#include <vector>

namespace loci {

ModelLoader::~ModelLoader() {
  MutexLock lock(mutex_);
  std::vector<std::thread> threads;
  for (auto& [embedder, model] : models_) threads.push_back(std::move(model.thread));
  lock.unlock();
  for (std::thread& thread : threads) {
    if (thread.joinable()) thread.join();
  }
}

Status ModelLoader::check(const Embedder& embedder, const Embedder& probe) {
  const MutexLock lock(mutex_);
  const auto [entry, is_new] = models_.try_emplace(&embedder);
  Model& model = entry->second;
  const bool may_try_again =
      !model.is_loading && !model.status.ok() && std::chrono::steady_clock::now() >= model.try_again_at;
  // Whoever asks for another try still hears how the last one ended.
  const Status status = model.status;
  if (is_new || may_try_again) load(model, probe);
  return is_new ? model.status : status;
}

void ModelLoader::forget(const Embedder& embedder) {
  const MutexLock lock(mutex_);
  const auto found = models_.find(&embedder);
  if (found == models_.end() || found->second.is_loading) return;
  if (found->second.thread.joinable()) found->second.thread.join();  // it has nothing left to do
  models_.erase(found);
}

void ModelLoader::load(Model& model, const Embedder& probe) {
  if (model.thread.joinable()) model.thread.join();  // it has nothing left to do
  if (model.status.ok()) {
    model.status = Error{ErrorKind::unavailable,
                         "the model is being loaded; search again in a moment, and hits by meaning are there as well"};
  }
  model.is_loading = true;
  model.thread = std::thread([this, &model, &probe] {
    const std::string text = "ready";
    const Result<std::vector<Embedding>> vectors = probe.embed({&text, 1});
    const MutexLock done(mutex_);
    model.status = ok_status();
    if (!vectors.ok()) model.status = vectors.error();
    model.try_again_at = std::chrono::steady_clock::now() + try_again_after_;
    model.is_loading = false;
  });
}

}  // namespace loci
