#include "store/chroma/folder_backend.h"

#include "base/clock.h"
#include "store/chroma/coverage.h"
#include "store/chroma/folder_collection.h"
#include "store/chroma/folder_repair.h"
#include "store/chroma/quarantine.h"
#include "store/chroma/schema.h"
#include "store/chroma/seq_id_repair.h"
#include "store/contract.h"
#include "store/guarded_backend.h"
#include "store/identity.h"
#include "store/palace_handles.h"

namespace loci {
namespace chroma {
namespace {

class FolderBackend : public Backend, private Upkeep {
 public:
  explicit FolderBackend(const FolderOptions& options) : options_(options) {}

  const BackendInfo& info() const override { return folder_backend_info(); }

  // Also of one that is empty: Chroma makes the file before it fills it.
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
    const std::shared_ptr<FolderPalace> handle = TRY(handle_for(palace, access));
    return handle->read([&](Connection& connection,
                            const SchemaVersions& versions) -> Result<std::vector<CollectionInfo>> {
      std::vector<CollectionInfo> infos;
      for (const CollectionRow& row : TRY(list_collections(connection, versions))) {
        const std::shared_ptr<const Recovered> vectors = TRY(handle->vectors(connection, row));
        infos.push_back({row.name, row.space.metric, vectors->dimension, row.model, vectors->missing + vectors->stale});
      }
      return infos;
    });
  }

  Status delete_collection(const PalaceRef& palace, std::string_view name) override {
    const std::shared_ptr<FolderPalace> handle = TRY(handle_for(palace, Access::read_write));
    return handle->write(IfMissing::fail, [&](Connection& connection, const SchemaVersions& versions) -> Status {
      const CollectionRow row = TRY(load_collection(connection, versions, name));
      return remove_collection(connection, versions, row);
    });
  }

  Status set_embedder(const PalaceRef& palace, std::string_view name, std::string_view model,
                      std::optional<std::size_t> dimension, ModelSwap swap) override {
    const std::shared_ptr<FolderPalace> handle = TRY(handle_for(palace, Access::read_write));
    return handle->write(IfMissing::fail, [&](Connection& connection, const SchemaVersions& versions) -> Status {
      const CollectionRow row = TRY(load_collection(connection, versions, name));
      TRY(check_new_model({.collection = name, .model = row.model, .dimension = row.dimension}, model, dimension, swap,
                          [&]() -> Result<bool> { return TRY(handle->vectors(connection, row))->vectors > 0; }));
      if (dimension && row.dimension != dimension) TRY(set_dimension(connection, row, *dimension));
      if (row.model != model) TRY(set_model(connection, row, model));
      return {};
    });
  }

  Result<Metadata> maintenance_state(const PalaceRef& palace, Access access) override {
    const std::shared_ptr<FolderPalace> handle = TRY(handle_for(palace, access));
    return handle->read([&](Connection& connection, const SchemaVersions& versions) -> Result<Metadata> {
      Metadata state;
      state["collections"] = static_cast<std::int64_t>(TRY(list_collections(connection, versions)).size());
      state["queue_rows"] = TRY(connection.query_integer("SELECT count(*) FROM embeddings_queue"));
      state["metadata_schema"] = versions.metadata;
      state["system_schema"] = versions.system;
      return state;
    });
  }

  Result<MaintenanceReport> run_maintenance(const PalaceRef& palace, std::string_view kind) override {
    TRY(handle_for(palace, Access::read_write));
    return Error{ErrorKind::unsupported_maintenance_kind,
                 "a Chroma folder is maintained by Chroma; there is no kind " + in_quotes(kind)};
  }

  Upkeep* upkeep() override { return this; }

  void close_palace(const PalaceRef& palace) override { handles_.release(palace); }
  void close() override { handles_.close(); }

 private:
  // Upkeep.
  Result<VerifyReport> verify(const PalaceRef& palace, VerifyDepth depth, const IsCancelled& is_cancelled) override {
    return examine_folder(*TRY(handle_for(palace, Access::read_only)), depth, is_cancelled);
  }
  Result<BackupReport> backup(const PalaceRef&, const std::filesystem::path&, const IsCancelled&) override {
    return unsupported_upkeep(info(), "makes no backups; copy the folder while no program has it open");
  }
  Result<BackupReport> restore(const std::filesystem::path&, const PalaceRef&, const IsCancelled&) override {
    return unsupported_upkeep(info(), "restores no backups");
  }
  Result<SalvageReport> salvage(const PalaceRef& palace, const PalaceRef& target,
                                const IsCancelled& is_cancelled) override {
    for (const PalaceRef& each : {palace, target}) TRY(handle_for(each, Access::read_only));
    return repair_folder(*palace.local_path, *target.local_path, is_cancelled);
  }
  Result<QuarantineReport> quarantine(const PalaceRef& palace, const QuarantineRequest& request) override {
    return quarantine_stale(*TRY(handle_for(palace, Access::read_only)), request, now_unix_ms());
  }
  Result<MendReport> mend(const PalaceRef& palace, std::string_view kind, Apply apply) override {
    if (kind != kSeqIdRepair) {
      return Error{ErrorKind::invalid_argument,
                   "a Chroma folder has no " + in_quotes(kind) + " to mend; there is " + std::string(kSeqIdRepair)};
    }
    const Access access = apply == Apply::yes ? Access::read_write : Access::read_only;
    return repair_seq_ids(*TRY(handle_for(palace, access)), apply);
  }

  enum class IfThere { open, fail };

  Result<std::shared_ptr<FolderPalace>> handle_for(const PalaceRef& palace, Access access) {
    return handle_for(palace, access, options_.copies);
  }
  Result<std::shared_ptr<FolderPalace>> handle_for(const PalaceRef& palace, Access access, Copies copies) {
    return handles_.get(palace, info(), access, copies, [&] {
      FolderOptions options = options_;
      options.copies = copies;
      return std::make_shared<FolderPalace>(*palace.local_path, access, options);
    });
  }

  Result<std::shared_ptr<Collection>> open_collection(const PalaceRef& palace, std::string_view name,
                                                      const OpenOptions& options, IfThere if_there) {
    const Copies copies = options.with_quarantined ? Copies::used : options_.copies;
    const std::shared_ptr<FolderPalace> handle = TRY(handle_for(palace, options.access, copies));
    TRY(check_collection_name(name));
    const auto found = handle->read([&](Connection& connection, const SchemaVersions& versions) {
      return find_collection(connection, versions, name);
    });
    const bool creates = options.if_missing == IfMissing::create && options.access == Access::read_write;
    if (!found.ok() && !(creates && found.error().kind == ErrorKind::palace_not_found)) return found.error();
    const bool is_there = found.ok() && found->has_value();
    if (is_there && if_there == IfThere::fail) return collection_exists(name);
    if (!is_there && !creates) {
      return Error{ErrorKind::collection_not_initialized, "the Chroma folder has no collection " + in_quotes(name)};
    }
    if (!is_there) {
      TRY(handle->write(IfMissing::create, [&](Connection& connection, const SchemaVersions& versions) -> Status {
        const std::optional<CollectionRow> now_there = TRY(find_collection(connection, versions, name));
        if (now_there) return if_there == IfThere::fail ? Status(collection_exists(name)) : ok_status();
        return insert_collection(connection, versions, name, options.metric);
      }));
    }
    TRY(check_embedder(*handle, name, options));
    return std::shared_ptr<Collection>(std::make_shared<FolderCollection>(handle, std::string(name), options));
  }

  // E3: the stored model against the embedder at hand; a forced swap is stored.
  static Status check_embedder(FolderPalace& palace, std::string_view name, const OpenOptions& options) {
    if (options.embedder == nullptr) return {};
    const auto identity = [&](Connection& connection, const SchemaVersions& versions) -> Result<IdentityCheck> {
      const CollectionRow row = TRY(load_collection(connection, versions, name));
      return identity_of(palace, connection, row, options.embedder, options.model_swap);
    };
    const IdentityCheck check = TRY(palace.read(identity));
    TRY(check.open);
    if (!check.swaps_model || palace.access() == Access::read_only) return {};
    return palace.write(IfMissing::fail, [&](Connection& connection, const SchemaVersions& versions) -> Status {
      const CollectionRow row = TRY(load_collection(connection, versions, name));
      const std::size_t dimension = options.embedder->dimension();
      if (dimension > 0 && row.dimension != dimension) TRY(set_dimension(connection, row, dimension));
      return set_model(connection, row, options.embedder->model_name());
    });
  }

  const FolderOptions options_;
  PalaceHandles<FolderPalace, Access, Copies> handles_;
};

}  // namespace

const BackendInfo& folder_backend_info() {
  using namespace capability;
  static const BackendInfo kInfo{
      .name = "chroma",
      .spec_version = std::string(kSpecVersion),
      .capabilities = {std::string(kEmbeddingsIn), std::string(kEmbeddingsPassthrough), std::string(kEmbeddingsOut),
                       std::string(kUpdate), std::string(kMetadataFilters), std::string(kRangeFilters),
                       std::string(kMigrationExport), std::string(kLocalMode), std::string(kAtomicBatches)},
      .max_batch = {},
      .maintenance_kinds = {},
  };
  return kInfo;
}

}  // namespace chroma

std::unique_ptr<Backend> make_chroma_folder_backend(const chroma::FolderOptions& options) {
  return guarded(std::make_unique<chroma::FolderBackend>(options));
}

}  // namespace loci
