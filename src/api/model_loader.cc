#include "api/model_loader.h"

#include <string>
#include <utility>

namespace loci {

ModelLoader::~ModelLoader() {
  MutexLock lock(mutex_);
  std::vector<std::thread> threads = std::exchange(threads_, {});
  lock.unlock();
  for (std::thread& thread : threads) thread.join();
}

bool ModelLoader::is_ready(const Embedder& embedder) {
  const MutexLock lock(mutex_);
  const auto [entry, is_new] = ready_.emplace(&embedder, false);
  if (is_new) {
    threads_.emplace_back([this, &embedder] {
      const std::string text = "ready";
      // A failure shows again, with its reason, when a search asks the embedder.
      static_cast<void>(embedder.embed({&text, 1}));
      const MutexLock done(mutex_);
      ready_[&embedder] = true;
    });
  }
  return entry->second;
}

}  // namespace loci
