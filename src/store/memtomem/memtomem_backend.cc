#include "store/memtomem/memtomem_backend.h"

#include <atomic>
#include <utility>

#include "store/contract.h"
#include "store/guarded_backend.h"
#include "store/memtomem/memtomem_collection.h"

namespace loci {
namespace memtomem {
namespace {

class MemtomemBackend : public Backend {
 public:
  const BackendInfo& info() const override {
    using namespace capability;
    static const BackendInfo kInfo{
        .name = "memtomem",
        .spec_version = std::string(kSpecVersion),
        .capabilities = {std::string(kEmbeddingsOut), std::string(kMigrationExport), std::string(kLocalMode),
                         std::string(kListMetadata), std::string(kRangeFilters)},
        .max_batch = {},
        .maintenance_kinds = {},
    };
    return kInfo;
  }

  bool detect(const std::filesystem::path& folder) const override {
    std::error_code ignored;
    return std::filesystem::is_regular_file(folder / "memtomem.db", ignored) ||
           (folder.filename() == "memtomem.db" && std::filesystem::is_regular_file(folder, ignored));
  }

  Result<std::shared_ptr<Collection>> collection(const PalaceRef& palace, std::string_view name,
                                                 const OpenOptions& options) override {
    TRY(check(palace));
    TRY(check_collection_name(name));
    if (options.if_missing == IfMissing::create) return read_only();
    const std::shared_ptr<const DatabaseCopy> database = TRY(DatabaseCopy::make(*palace.local_path));
    if (name != kCollectionName) {
      return Error{ErrorKind::collection_not_initialized,
                   "a database of memtomem has the collection drawers only, not " + in_quotes(name)};
    }
    return std::shared_ptr<Collection>(std::make_shared<MemtomemCollection>(database));
  }

  Result<std::shared_ptr<Collection>> create_collection(const PalaceRef& palace, std::string_view,
                                                        const OpenOptions&) override {
    TRY(check(palace));
    return read_only();
  }

  Result<std::vector<CollectionInfo>> collections(const PalaceRef& palace, Access) override {
    TRY(check(palace));
    MemtomemCollection collection(TRY(DatabaseCopy::make(*palace.local_path)));
    return std::vector{TRY(collection.info())};
  }

  Status delete_collection(const PalaceRef& palace, std::string_view) override {
    TRY(check(palace));
    return read_only();
  }
  Status set_embedder(const PalaceRef& palace, std::string_view, std::string_view, std::optional<std::size_t>,
                      ModelSwap) override {
    TRY(check(palace));
    return read_only();
  }
  Result<Metadata> maintenance_state(const PalaceRef& palace, Access) override {
    TRY(check(palace));
    MemtomemCollection collection(TRY(DatabaseCopy::make(*palace.local_path)));
    return Metadata{{"chunks", static_cast<std::int64_t>(TRY(collection.count()))}};
  }
  Result<MaintenanceReport> run_maintenance(const PalaceRef& palace, std::string_view kind) override {
    TRY(check(palace));
    return Error{ErrorKind::unsupported_maintenance_kind, "there is no maintenance " + in_quotes(kind)};
  }
  Upkeep* upkeep() override { return nullptr; }
  void close_palace(const PalaceRef&) override {}
  void close() override { is_closed_ = true; }

 private:
  static Error read_only() {
    return {ErrorKind::unsupported,
            "databases of memtomem are only read; `loci migrate --from memtomem` makes a palace of one"};
  }
  Status check(const PalaceRef& palace) const {
    if (is_closed_) return Error{ErrorKind::backend_closed, "the backend is closed"};
    return check_palace(palace, info());
  }

  std::atomic<bool> is_closed_ = false;
};

}  // namespace
}  // namespace memtomem

std::unique_ptr<Backend> make_memtomem_backend() { return guarded(std::make_unique<memtomem::MemtomemBackend>()); }

}  // namespace loci
