#include "store/guarded_backend.h"

#include <exception>
#include <new>
#include <utility>

#include "loci/reembedding.h"

namespace loci {
namespace {

// Short enough to need no memory of its own.
constexpr const char* kOutOfMemory = "out of memory";

template <typename Call>
auto guard(const Call& call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::io, kOutOfMemory};
  } catch (const std::exception& error) {
    return Error{ErrorKind::internal, error.what()};
  }
}

class GuardedReembedding : public Reembedding {
 public:
  explicit GuardedReembedding(Reembedding* inner) : inner_(inner) {}

  Result<std::optional<ReembeddingState>> state() const override {
    return guard([&] { return inner_->state(); });
  }
  Status start(const Embedder& embedder) override {
    return guard([&] { return inner_->start(embedder); });
  }
  Result<ReembeddingStep> step(const Embedder& embedder, std::size_t limit) override {
    return guard([&] { return inner_->step(embedder, limit); });
  }
  Status abandon() override {
    return guard([&] { return inner_->abandon(); });
  }

  bool is_there() const { return inner_ != nullptr; }

 private:
  Reembedding* const inner_;
};

class GuardedCollection : public Collection {
 public:
  explicit GuardedCollection(std::shared_ptr<Collection> inner)
      : inner_(std::move(inner)), reembedding_(inner_->reembedding()) {}

  Result<CollectionInfo> info() const override {
    return guard([&] { return inner_->info(); });
  }
  Result<std::vector<Written>> add(std::span<const Record> records) override {
    return guard([&] { return inner_->add(records); });
  }
  Result<std::vector<Written>> upsert(std::span<const Record> records) override {
    return guard([&] { return inner_->upsert(records); });
  }
  Result<UpdateReport> update(std::span<const RecordUpdate> updates) override {
    return guard([&] { return inner_->update(updates); });
  }
  Result<std::size_t> erase(const Selection& selection) override {
    return guard([&] { return inner_->erase(selection); });
  }
  Result<std::vector<Record>> get(const GetRequest& request) const override {
    return guard([&] { return inner_->get(request); });
  }
  Status scan(const GetRequest& request, const std::function<Status(Record)>& visit) const override {
    return guard([&] { return inner_->scan(request, visit); });
  }
  Result<QueryResult> query(const QueryRequest& request) const override {
    return guard([&] { return inner_->query(request); });
  }
  Result<std::vector<WordHit>> match(const MatchRequest& request) const override {
    return guard([&] { return inner_->match(request); });
  }
  Result<EmbeddingStep> embed_pending(std::size_t limit) override {
    return guard([&] { return inner_->embed_pending(limit); });
  }
  Result<std::size_t> queue_missing() override {
    return guard([&] { return inner_->queue_missing(); });
  }
  Reembedding* reembedding() override { return reembedding_.is_there() ? &reembedding_ : nullptr; }
  Result<std::vector<SourceInfo>> sources(std::string_view prefix) const override {
    return guard([&] { return inner_->sources(prefix); });
  }
  Result<std::vector<SourceReport>> replace_sources(std::span<const SourceUpdate> updates) override {
    return guard([&] { return inner_->replace_sources(updates); });
  }
  Result<std::size_t> erase_sources(std::span<const std::string> names) override {
    return guard([&] { return inner_->erase_sources(names); });
  }
  Result<std::size_t> index_pending() override {
    return guard([&] { return inner_->index_pending(); });
  }
  Result<std::size_t> count() const override {
    return guard([&] { return inner_->count(); });
  }
  Result<std::vector<GroupCount>> count_by(std::span<const std::string> keys) const override {
    return guard([&] { return inner_->count_by(keys); });
  }
  Result<std::vector<Change>> changes_since(std::int64_t seq, std::size_t limit) const override {
    return guard([&] { return inner_->changes_since(seq, limit); });
  }
  Health health() const override {
    try {
      return inner_->health();
    } catch (const std::exception&) {
      return {false, kOutOfMemory};
    }
  }

 private:
  const std::shared_ptr<Collection> inner_;
  GuardedReembedding reembedding_;
};

class GuardedUpkeep : public Upkeep {
 public:
  explicit GuardedUpkeep(Upkeep* inner) : inner_(inner) {}

  Result<VerifyReport> verify(const PalaceRef& palace, VerifyDepth depth, const IsCancelled& is_cancelled) override {
    return guard([&] { return inner_->verify(palace, depth, is_cancelled); });
  }
  Result<BackupReport> backup(const PalaceRef& palace, const std::filesystem::path& file,
                              const IsCancelled& is_cancelled) override {
    return guard([&] { return inner_->backup(palace, file, is_cancelled); });
  }
  Result<BackupReport> restore(const std::filesystem::path& file, const PalaceRef& palace,
                               const IsCancelled& is_cancelled) override {
    return guard([&] { return inner_->restore(file, palace, is_cancelled); });
  }
  Result<SalvageReport> salvage(const PalaceRef& palace, const PalaceRef& target,
                                const IsCancelled& is_cancelled) override {
    return guard([&] { return inner_->salvage(palace, target, is_cancelled); });
  }
  Result<QuarantineReport> quarantine(const PalaceRef& palace, const QuarantineRequest& request) override {
    return guard([&] { return inner_->quarantine(palace, request); });
  }
  Result<MendReport> mend(const PalaceRef& palace, std::string_view kind, Apply apply) override {
    return guard([&] { return inner_->mend(palace, kind, apply); });
  }

 private:
  Upkeep* const inner_;
};

class GuardedBackend : public Backend {
 public:
  explicit GuardedBackend(std::unique_ptr<Backend> inner) : inner_(std::move(inner)), upkeep_(inner_->upkeep()) {}

  const BackendInfo& info() const override { return inner_->info(); }
  bool detect(const std::filesystem::path& folder) const override { return inner_->detect(folder); }

  Result<std::shared_ptr<Collection>> collection(const PalaceRef& palace, std::string_view name,
                                                 const OpenOptions& options) override {
    return guard([&] { return wrap(inner_->collection(palace, name, options)); });
  }
  Result<std::shared_ptr<Collection>> create_collection(const PalaceRef& palace, std::string_view name,
                                                        const OpenOptions& options) override {
    return guard([&] { return wrap(inner_->create_collection(palace, name, options)); });
  }
  Result<std::vector<CollectionInfo>> collections(const PalaceRef& palace, Access access) override {
    return guard([&] { return inner_->collections(palace, access); });
  }
  Status delete_collection(const PalaceRef& palace, std::string_view name) override {
    return guard([&] { return inner_->delete_collection(palace, name); });
  }
  Status set_embedder(const PalaceRef& palace, std::string_view name, std::string_view model,
                      std::optional<std::size_t> dimension, ModelSwap swap) override {
    return guard([&] { return inner_->set_embedder(palace, name, model, dimension, swap); });
  }
  Result<Metadata> maintenance_state(const PalaceRef& palace, Access access) override {
    return guard([&] { return inner_->maintenance_state(palace, access); });
  }
  Result<MaintenanceReport> run_maintenance(const PalaceRef& palace, std::string_view kind) override {
    return guard([&] { return inner_->run_maintenance(palace, kind); });
  }
  Upkeep* upkeep() override { return inner_->upkeep() == nullptr ? nullptr : &upkeep_; }
  void close_palace(const PalaceRef& palace) override { inner_->close_palace(palace); }
  void close() override { inner_->close(); }

 private:
  static Result<std::shared_ptr<Collection>> wrap(Result<std::shared_ptr<Collection>> opened) {
    if (!opened.ok()) return opened;
    return std::shared_ptr<Collection>(std::make_shared<GuardedCollection>(*std::move(opened)));
  }

  const std::unique_ptr<Backend> inner_;
  GuardedUpkeep upkeep_;
};

}  // namespace

std::unique_ptr<Backend> guarded(std::unique_ptr<Backend> backend) {
  return std::make_unique<GuardedBackend>(std::move(backend));
}

}  // namespace loci
