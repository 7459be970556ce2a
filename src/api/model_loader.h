// Loads models in the background, so that nobody has to wait for one.
#pragma once

#include <map>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "loci/embedder.h"

namespace loci {

// Many threads may use it at once. Its end waits for what is being loaded.
class ModelLoader {
 public:
  ModelLoader() = default;
  ~ModelLoader();
  ModelLoader(const ModelLoader&) = delete;
  ModelLoader& operator=(const ModelLoader&) = delete;

  // The first question about an embedder starts to load its model, and each is false until that is over, however it
  // ended. The embedder outlives the loader.
  bool is_ready(const Embedder& embedder);

 private:
  Mutex mutex_;
  std::map<const Embedder*, bool> ready_ GUARDED_BY(mutex_);
  std::vector<std::thread> threads_ GUARDED_BY(mutex_);
};

}  // namespace loci
