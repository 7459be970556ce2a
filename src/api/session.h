// A Session is what operations work with: the settings in force, the backends there are, and the palace.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/model_loader.h"
#include "api/settings.h"
#include "base/mutex.h"
#include "base/program_run.h"
#include "base/stop_time.h"
#include "loci/backend.h"
#include "loci/collection.h"
#include "loci/embedder.h"
#include "loci/result.h"
#include "store/registry.h"

namespace loci {

struct SessionOptions {
  SettingsSources sources = {};
  Access access = Access::read_write;
  ModelSwap model_swap = ModelSwap::refuse;
  std::string program_version = {};
  RunProgram run_self = {};  // runs this program anew; empty for a face that cannot
  // For a session that lives long: searches do not wait for the model but start to load it, and go by words till then.
  bool loads_model_in_background = false;
};

// A palace that was chosen; whether it exists shows when it is used. A value for the time of one call.
struct ChosenPalace {
  Settings settings;
  Backend* backend = nullptr;
  PalaceRef ref;
};

enum class Purpose {
  read,         // no embedder is loaded, and none is compared with the stored model
  write_texts,  // texts get their vectors from the embedder in force, now or later as the settings say
  store_texts,  // texts wait for their vectors: no embedder is loaded, and none is compared
};

// Making one does no I/O. Files are read anew for each call, so that a long-lived session sees what changed. Many
// threads may use a session at once.
class Session {
 public:
  // The registry outlives the session.
  Session(SessionOptions options, BackendRegistry& registry) : options_(std::move(options)), registry_(registry) {}

  // Does not wait for servers.
  ~Session() { stop_asking_by(StopTime::Clock::now()); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const SessionOptions& options() const { return options_; }
  BackendRegistry& registry() { return registry_; }

  Result<Settings> settings() { return resolve_settings(options_.sources, registry_); }

  // With the backend of the settings, or the one of that name. Errors: those of the settings; invalid_argument for an
  // unknown backend, listing what there is, and for a folder that holds a palace of another one.
  Result<ChosenPalace> palace(const std::optional<std::string>& backend = std::nullopt);

  // The collection of drawers of the palace. Errors: palace_not_found, collection_not_initialized, embedder_mismatch, …
  Result<std::shared_ptr<Collection>> drawers(const ChosenPalace& palace, Purpose purpose, IfMissing if_missing);

  // The embedder in force, or the one of that name. Null for "none". Lives as long as the session; loads nothing yet.
  Result<const Embedder*> embedder(const Settings& settings) { return embedder(settings, settings.embedder.value); }
  Result<const Embedder*> embedder(const Settings& settings, const std::string& name);

  // May a search ask this embedder of ours now? Errors: why not, such as that its model is being loaded in the
  // background.
  Status check_ready(const Embedder& embedder);
  // A search asked it in vain.
  void has_failed(const Embedder& embedder) { loader_.forget(embedder); }

  // Whoever waits for an embedding server at that time gets the error unavailable, and so does everybody later.
  void stop_asking_by(StopTime::Clock::time_point time) { stop_.stop_by(time); }

 private:
  const SessionOptions options_;
  BackendRegistry& registry_;

  struct MadeEmbedder {
    std::unique_ptr<Embedder> embedder;
    std::unique_ptr<Embedder> probe;  // a less patient one; null: where there is no server to wait for
  };
  Result<MadeEmbedder> make(const Settings& settings, const std::string& name) const;

  StopTime stop_;
  Mutex mutex_;
  std::map<std::pair<std::string, std::optional<std::string>>, MadeEmbedder> embedders_
      GUARDED_BY(mutex_);  // by name and server
  ModelLoader loader_;     // the last: its threads use the embedders
};

}  // namespace loci
