// Loads models in the background, so that nobody has to wait for one.
#pragma once

#include <chrono>
#include <map>
#include <thread>

#include "base/mutex.h"
#include "loci/embedder.h"
#include "loci/result.h"

namespace loci {

// Many threads may use it at once. Its end waits for what is being loaded.
class ModelLoader {
 public:
  // A model that could not be loaded is tried again by the first question after this time.
  explicit ModelLoader(std::chrono::milliseconds try_again_after = std::chrono::seconds(10))
      : try_again_after_(try_again_after) {}
  ~ModelLoader();
  ModelLoader(const ModelLoader&) = delete;
  ModelLoader& operator=(const ModelLoader&) = delete;

  // May the embedder be asked now? The first question starts to load its model, by giving `probe` a text: the embedder
  // itself, or a less patient one for the same model. Both outlive the loader. Errors: unavailable while that goes on;
  // the error it ended with.
  Status check(const Embedder& embedder, const Embedder& probe);

  // The embedder has failed: the next question loads its model anew.
  void forget(const Embedder& embedder);

 private:
  struct Model {
    Status status = {};
    bool is_loading = false;
    std::chrono::steady_clock::time_point try_again_at = {};  // if the status is an error
    std::thread thread = {};
  };
  void load(Model& model, const Embedder& probe) REQUIRES(mutex_);

  const std::chrono::milliseconds try_again_after_;
  Mutex mutex_;
  std::map<const Embedder*, Model> models_ GUARDED_BY(mutex_);
};

}  // namespace loci
