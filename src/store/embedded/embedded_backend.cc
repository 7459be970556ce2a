#include "store/embedded/embedded_backend.h"

#include <span>
#include <vector>

#include <sys/stat.h>

#include "base/file.h"
#include "store/contract.h"
#include "store/embedded/backup.h"
#include "store/embedded/catalog.h"
#include "store/embedded/embedded_collection.h"
#include "store/embedded/maintenance.h"
#include "store/embedded/new_palace.h"
#include "store/embedded/palace_handle.h"
#include "store/embedded/salvage.h"
#include "store/embedded/verify.h"
#include "store/guarded_backend.h"
#include "store/identity.h"
#include "store/palace_files.h"
#include "store/palace_handles.h"

namespace loci {
namespace embedded {
namespace {

class EmbeddedBackend : public Backend, private Upkeep {
 public:
  explicit EmbeddedBackend(const IndexOptions& index) : index_(index) {}

  const BackendInfo& info() const override { return embedded_backend_info(); }

  bool detect(const std::filesystem::path& folder) const override {
    std::error_code ignored;
    return std::filesystem::is_regular_file(folder / kDatabaseName, ignored);
  }

  Result<std::shared_ptr<Collection>> collection(const PalaceRef& palace, std::string_view name,
                                                 const OpenOptions& options) override {
    return open_collection(palace, name, options, IfThere::open);
  }

  Result<std::shared_ptr<Collection>> create_collection(const PalaceRef& palace, std::string_view name,
                                                        const OpenOptions& options) override {
    OpenOptions creating = options;
    creating.if_missing = IfMissing::create;
    return open_collection(palace, name, creating, IfThere::fail);
  }

  Result<std::vector<CollectionInfo>> collections(const PalaceRef& palace, Access access) override {
    const std::shared_ptr<PalaceHandle> handle = TRY(handle_for(palace, access));
    const std::shared_ptr<Database> database = TRY(handle->database());
    return database->read([](Connection& connection) -> Result<std::vector<CollectionInfo>> {
      std::vector<CollectionInfo> infos;
      for (const CollectionRow& row : TRY(list_collections(connection))) {
        const std::size_t pending = TRY(count_pending(connection, row.id));
        const std::size_t missing = TRY(count_missing(connection, row.id));
        infos.push_back({row.name, row.metric, row.dimension, row.model, pending, missing});
      }
      return infos;
    });
  }

  Status delete_collection(const PalaceRef& palace, std::string_view name) override {
    const std::shared_ptr<PalaceHandle> handle = TRY(handle_for(palace, Access::read_write));
    const std::shared_ptr<Database> database = TRY(handle->database());
    return database->write([&](Connection& connection) -> Status {
      return drop_collection(connection, TRY(load_collection(connection, name)));
    });
  }

  Status set_embedder(const PalaceRef& palace, std::string_view name, std::string_view model,
                      std::optional<std::size_t> dimension, ModelSwap swap) override {
    const std::shared_ptr<PalaceHandle> handle = TRY(handle_for(palace, Access::read_write));
    const std::shared_ptr<Database> database = TRY(handle->database());
    return database->write([&](Connection& connection) -> Status {
      CollectionRow row = TRY(load_collection(connection, name));
      TRY(check_new_model({.collection = name, .model = row.model, .dimension = row.dimension}, model, dimension, swap,
                          [&] { return has_vectors(connection, row.id); }));
      if (dimension && row.dimension != dimension) TRY(set_dimension(connection, row, *dimension));
      if (row.model != model) TRY(set_model(connection, row, model));
      return {};
    });
  }

  Result<Metadata> maintenance_state(const PalaceRef& palace, Access access) override {
    const std::shared_ptr<PalaceHandle> handle = TRY(handle_for(palace, access));
    const std::shared_ptr<Database> database = TRY(handle->database());
    return read_maintenance_state(*database);
  }

  Result<MaintenanceReport> run_maintenance(const PalaceRef& palace, std::string_view kind) override {
    const std::shared_ptr<PalaceHandle> handle = TRY(handle_for(palace, Access::read_write));
    return embedded::run_maintenance(*TRY(handle->database()), kind);
  }

  Upkeep* upkeep() override { return this; }

  void close_palace(const PalaceRef& palace) override { handles_.release(palace); }
  void close() override { handles_.close(); }

 private:
  // Upkeep. A palace is examined through a view that changes nothing, also when it is damaged.
  Result<VerifyReport> verify(const PalaceRef& palace, VerifyDepth depth, const IsCancelled& is_cancelled) override {
    TRY(handle_for(palace, Access::read_only));
    // First, before anybody opens the palace for writing, which cuts the log where it is damaged.
    const std::vector<Finding> in_files = TRY(verify_files(*palace.local_path));
    VerifyReport report = TRY(verify_tables(palace, depth, is_cancelled));
    report.checked.insert(report.checked.begin(), {"the log", "the size of the database"});
    for (const Finding& told : in_files) std::erase(report.findings, told);
    report.findings.insert(report.findings.begin(), in_files.begin(), in_files.end());
    return report;
  }

  Result<VerifyReport> verify_tables(const PalaceRef& palace, VerifyDepth depth, const IsCancelled& is_cancelled) {
    const Result<std::shared_ptr<Database>> view = view_of(palace);
    if (view.ok()) return verify_palace(**view, depth, is_cancelled);
    const ErrorKind kind = view.error().kind;
    if (kind != ErrorKind::corruption && kind != ErrorKind::version_mismatch) return view.error();
    // What cannot be opened is examined as repair reads it; that it cannot be opened is the first finding.
    const Result<std::shared_ptr<Database>> damaged = Database::open_damaged(*palace.local_path);
    if (!damaged.ok()) return view.error();
    return verify_damaged_palace(**damaged, depth, view.error(), is_cancelled);
  }

  Result<BackupReport> backup(const PalaceRef& palace, const std::filesystem::path& file,
                              const IsCancelled& is_cancelled) override {
    const std::shared_ptr<PalaceHandle> handle = TRY(handle_for(palace, Access::read_write));
    return backup_palace(*TRY(handle->database()), file, is_cancelled);
  }

  Result<BackupReport> restore(const std::filesystem::path& file, const PalaceRef& palace,
                               const IsCancelled& is_cancelled) override {
    TRY(handle_for(palace, Access::read_write));
    return restore_palace(file, *palace.local_path, is_cancelled);
  }

  Result<SalvageReport> salvage(const PalaceRef& palace, const PalaceRef& target,
                                const IsCancelled& is_cancelled) override {
    TRY(handle_for(palace, Access::read_only));
    TRY(handle_for(target, Access::read_write));
    const std::vector<Finding> in_files = TRY(verify_files(*palace.local_path));
    const std::shared_ptr<Database> damaged = TRY(Database::open_damaged(*palace.local_path));
    NewPalace saved = TRY(NewPalace::prepare_in(*target.local_path));
    const SalvageReport report = TRY(salvage_into(*damaged, in_files, saved.aside(), is_cancelled));
    TRY(saved.publish());
    return report;
  }

  Result<SalvageReport> salvage_into(Database& damaged, std::span<const Finding> in_files,
                                     const std::filesystem::path& folder, const IsCancelled& is_cancelled) const {
    TRY(Database::open(folder, Access::read_write, IfMissing::create));  // a palace also where nothing can be saved
    EmbeddedBackend writer(index_);                                      // of its own: when it is gone so is the log
    SalvageReport report = TRY(salvage_palace(damaged, in_files, writer, PalaceRef::at(folder), is_cancelled));
    const Result<std::string> settings = read_file(damaged.folder() / kPalaceConfigurationName);
    if (settings.ok()) TRY(write_file_atomically(folder / kPalaceConfigurationName, *settings));
    if (!settings.ok() && settings.error().kind != ErrorKind::not_found) {
      report.losses.push_back("the settings did not come along: " + settings.error().message);
    }
    return report;
  }

  // An index that does not fit its rows is left aside and made anew without being asked.
  Result<QuarantineReport> quarantine(const PalaceRef&, const QuarantineRequest&) override {
    return unsupported_upkeep(info(), "needs no quarantine: it makes a damaged index anew by itself");
  }

  Result<MendReport> mend(const PalaceRef&, std::string_view, Apply) override {
    return unsupported_upkeep(info(), "mends nothing in place; repair --output FOLDER makes a whole palace");
  }

  Result<std::shared_ptr<Database>> view_of(const PalaceRef& palace) {
    const std::shared_ptr<PalaceHandle> handle = TRY(handle_for(palace, Access::read_only));
    return handle->database();
  }

  Result<std::shared_ptr<PalaceHandle>> handle_for(const PalaceRef& palace, Access access) {
    return handles_.get(palace, info(), access,
                        [&] { return std::make_shared<PalaceHandle>(*palace.local_path, access, index_); });
  }

  enum class IfThere { open, fail };
  Result<std::shared_ptr<Collection>> open_collection(const PalaceRef& palace, std::string_view name,
                                                      const OpenOptions& options, IfThere if_there) {
    const std::shared_ptr<PalaceHandle> handle = TRY(handle_for(palace, options.access));
    TRY(check_collection_name(name));
    const std::shared_ptr<Database> database = TRY(handle->database(options.if_missing));
    const std::optional<CollectionRow> found =
        TRY(database->read([&](Connection& connection) { return find_collection(connection, name); }));
    if (found && if_there == IfThere::fail) return collection_exists(name);
    if (!found && options.if_missing == IfMissing::fail) {
      TRY(database->read([&](Connection& connection) { return load_collection(connection, name); }));
    }
    if (!found) {
      TRY(database->write([&](Connection& connection) -> Status {
        // Another process may have been faster.
        const std::optional<CollectionRow> now_there = TRY(find_collection(connection, name));
        if (now_there && if_there == IfThere::fail) return collection_exists(name);
        if (!now_there) TRY(embedded::create_collection(connection, name, options.metric));
        return {};
      }));
    }
    TRY(check_embedder(*database, name, options));
    return std::shared_ptr<Collection>(std::make_shared<EmbeddedCollection>(handle, std::string(name), options));
  }

  // E3: the stored model against the embedder at hand; a forced swap is stored and logged.
  static Status check_embedder(Database& database, std::string_view name, const OpenOptions& options) {
    if (options.embedder == nullptr) return {};
    const auto identity = [&](Connection& connection) -> Result<IdentityCheck> {
      return identity_of(connection, TRY(load_collection(connection, name)), options.embedder, options.model_swap);
    };
    const IdentityCheck check = TRY(database.read(identity));
    TRY(check.open);
    if (!check.swaps_model || database.access() == Access::read_only) return {};
    return database.write([&](Connection& connection) -> Status {
      const IdentityCheck again = TRY(identity(connection));
      TRY(again.open);
      if (!again.swaps_model) return {};
      CollectionRow row = TRY(load_collection(connection, name));
      const std::size_t dimension = options.embedder->dimension();
      if (dimension > 0 && row.dimension != dimension) TRY(set_dimension(connection, row, dimension));
      return set_model(connection, row, options.embedder->model_name());
    });
  }

  const IndexOptions index_;
  PalaceHandles<PalaceHandle, Access> handles_;
};

}  // namespace

const BackendInfo& embedded_backend_info() {
  using namespace capability;
  static const BackendInfo kInfo{
      .name = "loci",
      .spec_version = std::string(kSpecVersion),
      .capabilities = {std::string(kEmbeddingsIn), std::string(kEmbeddingsPassthrough), std::string(kEmbeddingsOut),
                       std::string(kUpdate), std::string(kMetadataFilters), std::string(kRangeFilters),
                       std::string(kLexicalSearch), std::string(kMigrationExport), std::string(kChangeFeed),
                       std::string(kLocalMode), std::string(kListMetadata), std::string(kAtomicBatches),
                       std::string(kSources)},
      .max_batch = {},
      .maintenance_kinds = maintenance_kinds(),
  };
  return kInfo;
}

}  // namespace embedded

std::unique_ptr<Backend> make_embedded_backend() { return make_embedded_backend(embedded::IndexOptions()); }

std::unique_ptr<Backend> make_embedded_backend(const embedded::IndexOptions& index) {
  return guarded(std::make_unique<embedded::EmbeddedBackend>(index));
}

}  // namespace loci
