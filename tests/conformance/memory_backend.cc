#include "tests/conformance/memory_backend.h"

#include "store/contract.h"
#include "store/identity.h"
#include "tests/conformance/memory_state.h"

namespace loci::conformance {
namespace {

struct NamedDefect {
  Defect defect;
  std::string_view name;
};
constexpr NamedDefect kDefects[] = {
    {Defect::none, "none"},
    {Defect::drops_unknown_operators, "drops_unknown_operators"},
    {Defect::checks_top_of_filter_only, "checks_top_of_filter_only"},
    {Defect::negation_needs_key, "negation_needs_key"},
    {Defect::filters_after_cut, "filters_after_cut"},
    {Defect::adds_over_existing, "adds_over_existing"},
    {Defect::keeps_part_of_batch, "keeps_part_of_batch"},
    {Defect::erases_all_without_selection, "erases_all_without_selection"},
    {Defect::breaks_ties_by_insertion, "breaks_ties_by_insertion"},
    {Defect::forgets_on_close, "forgets_on_close"},
    {Defect::ignores_dimension, "ignores_dimension"},
    {Defect::ignores_model, "ignores_model"},
    {Defect::ignores_namespace, "ignores_namespace"},
    {Defect::ignores_palace, "ignores_palace"},
    {Defect::creates_what_is_missing, "creates_what_is_missing"},
    {Defect::serves_after_close, "serves_after_close"},
    {Defect::folds_nothing, "folds_nothing"},
};

class MemoryBackend : public Backend {
 public:
  MemoryBackend(std::shared_ptr<MemoryDisk> disk, const MemoryOptions& options)
      : state_(std::make_shared<MemoryState>()) {
    state_->disk = std::move(disk);
    state_->options = options;
  }

  const BackendInfo& info() const override { return state_->options.info; }
  bool detect(const std::filesystem::path&) const override { return false; }

  Result<std::shared_ptr<Collection>> collection(const PalaceRef& palace, std::string_view name,
                                                 const OpenOptions& options) override {
    return open(palace, name, options, IfThere::open);
  }

  Result<std::shared_ptr<Collection>> create_collection(const PalaceRef& palace, std::string_view name,
                                                        const OpenOptions& options) override {
    OpenOptions creating = options;
    creating.if_missing = IfMissing::create;
    return open(palace, name, creating, IfThere::fail);
  }

  Result<std::vector<CollectionInfo>> collections(const PalaceRef& palace, Access) override {
    const std::string key = TRY(checked_key(palace));
    const MutexLock lock(state_->disk->mutex);
    std::vector<CollectionInfo> infos;
    for (const auto& [name, stored] : *TRY(state_->find_palace(key))) {
      infos.push_back({.name = name, .metric = stored.metric, .dimension = stored.dimension, .model = stored.model});
      for (const auto& [row, record] : stored.rows) infos.back().pending += record.embedding ? 0 : 1;
    }
    return infos;
  }

  Status delete_collection(const PalaceRef& palace, std::string_view name) override {
    const std::string key = TRY(checked_key(palace));
    const MutexLock lock(state_->disk->mutex);
    TRY(state_->find_collection(key, name));
    StoredPalace& stored = *TRY(state_->find_palace(key));
    stored.erase(stored.find(name));
    return ok_status();
  }

  Status set_embedder(const PalaceRef& palace, std::string_view name, std::string_view model,
                      std::optional<std::size_t> dimension, ModelSwap swap) override {
    const std::string key = TRY(checked_key(palace));
    if (model.empty()) return Error{ErrorKind::invalid_argument, "the model needs a name"};
    const MutexLock lock(state_->disk->mutex);
    StoredCollection& stored = *TRY(state_->find_collection(key, name));
    if (!stored.model.empty() && stored.model != model && swap == ModelSwap::refuse) {
      return Error{ErrorKind::embedder_mismatch, "another model is recorded: " + stored.model};
    }
    if (dimension && stored.dimension && dimension != stored.dimension && stored.has_vectors()) {
      return Error{ErrorKind::dimension_mismatch, "the vectors have another dimension"};
    }
    if (dimension) stored.dimension = dimension;
    stored.model = model;
    return ok_status();
  }

  Result<Metadata> maintenance_state(const PalaceRef& palace, Access) override {
    const std::string key = TRY(checked_key(palace));
    const MutexLock lock(state_->disk->mutex);
    return Metadata{{"collections", static_cast<std::int64_t>(TRY(state_->find_palace(key))->size())}};
  }

  Result<MaintenanceReport> run_maintenance(const PalaceRef& palace, std::string_view kind) override {
    TRY(checked_key(palace));
    return Error{ErrorKind::unsupported_maintenance_kind, "there is no maintenance of the kind " + in_quotes(kind)};
  }

  Upkeep* upkeep() override { return nullptr; }
  void close_palace(const PalaceRef&) override {}

  void close() override {
    state_->is_closed = true;
    const MutexLock lock(state_->disk->mutex);
    if (state_->has(Defect::forgets_on_close)) state_->disk->palaces.clear();
  }

 private:
  enum class IfThere { open, fail };

  Result<std::string> checked_key(const PalaceRef& palace) const {
    TRY(state_->check_open());
    TRY(check_palace(palace, info()));
    return state_->palace_key(palace);
  }

  Result<std::shared_ptr<Collection>> open(const PalaceRef& palace, std::string_view name, const OpenOptions& options,
                                           IfThere if_there) {
    const std::string key = TRY(checked_key(palace));
    TRY(check_collection_name(name));
    const bool creates = options.if_missing == IfMissing::create || state_->has(Defect::creates_what_is_missing);
    const MutexLock lock(state_->disk->mutex);
    const Result<StoredCollection*> found = state_->find_collection(key, name);
    if (found.ok() && if_there == IfThere::fail) {
      return Error{ErrorKind::already_exists, "the palace has a collection " + in_quotes(name) + " already"};
    }
    if (!found.ok() && !creates) return found.error();
    if (!found.ok()) state_->disk->palaces[key][std::string(name)].metric = options.metric;

    StoredCollection& stored = *TRY(state_->find_collection(key, name));
    if (options.embedder != nullptr && !state_->has(Defect::ignores_model)) {
      const IdentityCheck check =
          check_identity(stored.model, stored.dimension, stored.has_vectors(), options.embedder, options.model_swap);
      TRY(check.open);
      if (check.swaps_model) {
        stored.model = options.embedder->model_name();
        stored.dimension = options.embedder->dimension();
      }
    }
    return make_memory_collection(state_, key, std::string(name), options);
  }

  const std::shared_ptr<MemoryState> state_;
};

void add_capabilities(BackendInfo& info, std::initializer_list<std::string_view> tokens) {
  for (const std::string_view token : tokens) info.capabilities.emplace(token);
}

}  // namespace

std::shared_ptr<MemoryDisk> make_memory_disk() { return std::make_shared<MemoryDisk>(); }

std::string_view to_string(Defect defect) {
  for (const NamedDefect& named : kDefects) {
    if (named.defect == defect) return named.name;
  }
  return "unknown";
}

std::optional<Defect> parse_defect(std::string_view name) {
  for (const NamedDefect& named : kDefects) {
    if (named.name == name) return named.defect;
  }
  return std::nullopt;
}

BackendInfo plain_memory_info() {
  BackendInfo info;
  info.name = "memory_plain";
  info.spec_version = kSpecVersion;
  info.max_batch = 100;
  add_capabilities(info, {capability::kEmbeddingsIn, capability::kMetadataFilters, capability::kAtomicBatches});
  return info;
}

BackendInfo rich_memory_info() {
  BackendInfo info = plain_memory_info();
  info.name = "memory";
  info.max_batch.reset();
  add_capabilities(info, {capability::kEmbeddingsPassthrough, capability::kEmbeddingsOut, capability::kUpdate,
                          capability::kRangeFilters, capability::kLexicalSearch, capability::kMigrationExport,
                          capability::kChangeFeed, capability::kNamespaceIsolation, capability::kListMetadata,
                          capability::kSources});
  return info;
}

std::unique_ptr<Backend> make_memory_backend(std::shared_ptr<MemoryDisk> disk, const MemoryOptions& options) {
  return std::make_unique<MemoryBackend>(std::move(disk), options);
}

std::string MemoryState::palace_key(const PalaceRef& palace) const {
  if (has(Defect::ignores_palace)) return "";
  if (!palace.palace_namespace || has(Defect::ignores_namespace)) return palace.id;
  return palace.id + '\0' + *palace.palace_namespace;  // neither may hold a NUL
}

Status MemoryState::check_open() const {
  if (is_closed && !has(Defect::serves_after_close)) return Error{ErrorKind::backend_closed, "the backend is closed"};
  return ok_status();
}

Result<StoredPalace*> MemoryState::find_palace(const std::string& key) {
  const auto found = disk->palaces.find(key);
  if (found == disk->palaces.end()) return Error{ErrorKind::palace_not_found, "there is no such palace"};
  return &found->second;
}

Result<StoredCollection*> MemoryState::find_collection(const std::string& key, std::string_view name) {
  StoredPalace& palace = *TRY(find_palace(key));
  const auto found = palace.find(name);
  if (found == palace.end()) {
    return Error{ErrorKind::collection_not_initialized, "the palace has no collection " + in_quotes(name)};
  }
  return &found->second;
}

}  // namespace loci::conformance
