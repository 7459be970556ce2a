#include "tests/transfer/interposed_backend.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loci::transfer {
namespace {

class InterposedCollection final : public Collection {
 public:
  InterposedCollection(std::shared_ptr<Collection> inner, BeforeWrite before_write)
      : inner_(std::move(inner)), before_write_(std::move(before_write)) {}

  Result<std::vector<Written>> add(std::span<const Record> records) override {
    TRY(before_write_(records));
    return inner_->add(records);
  }
  Result<std::vector<Written>> upsert(std::span<const Record> records) override {
    TRY(before_write_(records));
    return inner_->upsert(records);
  }

  Result<CollectionInfo> info() const override { return inner_->info(); }
  Result<UpdateReport> update(std::span<const RecordUpdate> updates) override { return inner_->update(updates); }
  Result<std::size_t> erase(const Selection& selection) override { return inner_->erase(selection); }
  Result<std::vector<Record>> get(const GetRequest& request) const override { return inner_->get(request); }
  Status scan(const GetRequest& request, const std::function<Status(Record)>& visit) const override {
    return inner_->scan(request, visit);
  }
  Result<QueryResult> query(const QueryRequest& request) const override { return inner_->query(request); }
  Result<std::vector<WordHit>> match(const MatchRequest& request) const override { return inner_->match(request); }
  Result<std::size_t> count() const override { return inner_->count(); }
  Result<std::vector<GroupCount>> count_by(std::span<const std::string> keys) const override {
    return inner_->count_by(keys);
  }
  Result<std::vector<Change>> changes_since(std::int64_t seq, std::size_t limit) const override {
    return inner_->changes_since(seq, limit);
  }
  Health health() const override { return inner_->health(); }

 private:
  std::shared_ptr<Collection> inner_;
  BeforeWrite before_write_;
};

class InterposedBackend final : public Backend {
 public:
  InterposedBackend(Backend& inner, BeforeWrite before_write) : inner_(inner), before_write_(std::move(before_write)) {}

  Result<std::shared_ptr<Collection>> collection(const PalaceRef& palace, std::string_view name,
                                                 const OpenOptions& options) override {
    return wrapped(inner_.collection(palace, name, options));
  }
  Result<std::shared_ptr<Collection>> create_collection(const PalaceRef& palace, std::string_view name,
                                                        const OpenOptions& options) override {
    return wrapped(inner_.create_collection(palace, name, options));
  }

  const BackendInfo& info() const override { return inner_.info(); }
  bool detect(const std::filesystem::path& folder) const override { return inner_.detect(folder); }
  Result<std::vector<CollectionInfo>> collections(const PalaceRef& palace, Access access) override {
    return inner_.collections(palace, access);
  }
  Status delete_collection(const PalaceRef& palace, std::string_view name) override {
    return inner_.delete_collection(palace, name);
  }
  Status set_embedder(const PalaceRef& palace, std::string_view name, std::string_view model,
                      std::optional<std::size_t> dimension, ModelSwap swap) override {
    return inner_.set_embedder(palace, name, model, dimension, swap);
  }
  Result<Metadata> maintenance_state(const PalaceRef& palace, Access access) override {
    return inner_.maintenance_state(palace, access);
  }
  Result<MaintenanceReport> run_maintenance(const PalaceRef& palace, std::string_view kind) override {
    return inner_.run_maintenance(palace, kind);
  }
  Upkeep* upkeep() override { return inner_.upkeep(); }
  void close_palace(const PalaceRef& palace) override { inner_.close_palace(palace); }
  void close() override { inner_.close(); }

 private:
  Result<std::shared_ptr<Collection>> wrapped(Result<std::shared_ptr<Collection>> inner) {
    if (!inner.ok()) return inner;
    return std::shared_ptr<Collection>(std::make_shared<InterposedCollection>(*inner, before_write_));
  }

  Backend& inner_;
  BeforeWrite before_write_;
};

}  // namespace

std::unique_ptr<Backend> interpose(Backend& inner, BeforeWrite before_write) {
  return std::make_unique<InterposedBackend>(inner, std::move(before_write));
}

}  // namespace loci::transfer
