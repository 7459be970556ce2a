#include "store/chroma/chroma_backend.h"

#include <algorithm>
#include <string>
#include <utility>

#include "store/chroma/folder_backend.h"
#include "store/chroma/server_backend.h"
#include "store/contract.h"

namespace loci {
namespace chroma {
namespace {

BackendInfo shared_info(const Backend* folders, const Backend* servers) {
  using namespace capability;
  if (folders == nullptr || servers == nullptr) return (folders != nullptr ? folders : servers)->info();
  BackendInfo info = folders->info();
  const BackendInfo& other = servers->info();
  std::erase_if(info.capabilities, [&](const std::string& token) { return !other.has(token); });
  info.capabilities.emplace(kLocalMode);
  info.capabilities.emplace(kServerMode);
  if (other.max_batch) info.max_batch = std::min(*other.max_batch, info.max_batch.value_or(*other.max_batch));
  std::erase_if(info.maintenance_kinds,
                [&](const std::string& kind) { return !other.maintenance_kinds.contains(kind); });
  return info;
}

// Only folders have files to look after.
class UpkeepOfFolders : public Upkeep {
 public:
  explicit UpkeepOfFolders(Backend* folders) : folders_(folders == nullptr ? nullptr : folders->upkeep()) {}
  bool is_there() const { return folders_ != nullptr; }

  Result<VerifyReport> verify(const PalaceRef& palace, VerifyDepth depth, const IsCancelled& is_cancelled) override {
    TRY(check_is_folder(palace));
    return folders_->verify(palace, depth, is_cancelled);
  }
  Result<BackupReport> backup(const PalaceRef& palace, const std::filesystem::path& file,
                              const IsCancelled& is_cancelled) override {
    TRY(check_is_folder(palace));
    return folders_->backup(palace, file, is_cancelled);
  }
  Result<BackupReport> restore(const std::filesystem::path& file, const PalaceRef& palace,
                               const IsCancelled& is_cancelled) override {
    TRY(check_is_folder(palace));
    return folders_->restore(file, palace, is_cancelled);
  }
  Result<SalvageReport> salvage(const PalaceRef& palace, const PalaceRef& target,
                                const IsCancelled& is_cancelled) override {
    TRY(check_is_folder(palace));
    return folders_->salvage(palace, target, is_cancelled);
  }
  Result<QuarantineReport> quarantine(const PalaceRef& palace, const QuarantineRequest& request) override {
    TRY(check_is_folder(palace));
    return folders_->quarantine(palace, request);
  }
  Result<MendReport> mend(const PalaceRef& palace, std::string_view kind, Apply apply) override {
    TRY(check_is_folder(palace));
    return folders_->mend(palace, kind, apply);
  }

 private:
  static Status check_is_folder(const PalaceRef& palace) {
    if (!is_on_server(palace)) return {};
    return Error{ErrorKind::unsupported, "the files of " + palace.id +
                                             " are the Chroma server's; where they lie, and while it is stopped, "
                                             "give their folder as the palace"};
  }

  Upkeep* const folders_;
};

class BackendByPlace : public Backend {
 public:
  BackendByPlace(std::unique_ptr<Backend> folders, std::unique_ptr<Backend> servers)
      : folders_(std::move(folders)),
        servers_(std::move(servers)),
        info_(shared_info(folders_.get(), servers_.get())),
        upkeep_(folders_.get()) {}

  const BackendInfo& info() const override { return info_; }
  bool detect(const std::filesystem::path& folder) const override { return folders_ && folders_->detect(folder); }

  Result<std::shared_ptr<Collection>> collection(const PalaceRef& palace, std::string_view name,
                                                 const OpenOptions& options) override {
    return TRY(part_for(palace))->collection(palace, name, options);
  }
  Result<std::shared_ptr<Collection>> create_collection(const PalaceRef& palace, std::string_view name,
                                                        const OpenOptions& options) override {
    return TRY(part_for(palace))->create_collection(palace, name, options);
  }
  Result<std::vector<CollectionInfo>> collections(const PalaceRef& palace, Access access) override {
    return TRY(part_for(palace))->collections(palace, access);
  }
  Status delete_collection(const PalaceRef& palace, std::string_view name) override {
    return TRY(part_for(palace))->delete_collection(palace, name);
  }
  Status set_embedder(const PalaceRef& palace, std::string_view name, std::string_view model,
                      std::optional<std::size_t> dimension, ModelSwap swap) override {
    return TRY(part_for(palace))->set_embedder(palace, name, model, dimension, swap);
  }
  Result<Metadata> maintenance_state(const PalaceRef& palace, Access access) override {
    return TRY(part_for(palace))->maintenance_state(palace, access);
  }
  Result<MaintenanceReport> run_maintenance(const PalaceRef& palace, std::string_view kind) override {
    return TRY(part_for(palace))->run_maintenance(palace, kind);
  }
  Upkeep* upkeep() override { return upkeep_.is_there() ? &upkeep_ : nullptr; }
  void close_palace(const PalaceRef& palace) override {
    if (const Result<Backend*> part = part_for(palace); part.ok()) (*part)->close_palace(palace);
  }
  void close() override {
    if (folders_) folders_->close();
    if (servers_) servers_->close();
  }

 private:
  Result<Backend*> part_for(const PalaceRef& palace) const {
    const std::unique_ptr<Backend>& part = is_on_server(palace) ? servers_ : folders_;
    if (part) return part.get();
    return Error{ErrorKind::unsupported, "this program cannot open the Chroma palace " + in_quotes(palace.id)};
  }

  const std::unique_ptr<Backend> folders_;
  const std::unique_ptr<Backend> servers_;
  const BackendInfo info_;
  UpkeepOfFolders upkeep_;
};

}  // namespace

bool is_on_server(const PalaceRef& palace) {
  return !palace.local_path && (palace.id.starts_with("http://") || palace.id.starts_with("https://"));
}

std::unique_ptr<Backend> make_backend_by_place(std::unique_ptr<Backend> folders, std::unique_ptr<Backend> servers) {
  return std::make_unique<BackendByPlace>(std::move(folders), std::move(servers));
}

}  // namespace chroma

std::unique_ptr<Backend> make_chroma_backend(const chroma::FolderOptions& folders, chroma::ServerOptions servers) {
  return chroma::make_backend_by_place(make_chroma_folder_backend(folders),
                                       make_chroma_server_backend(std::move(servers)));
}

}  // namespace loci
