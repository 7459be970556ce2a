// For tests: a backend in memory whose palaces are folders with a marker file, so that what is created shows on disk.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loci/backend.h"
#include "palace/fake_collection.h"
#include "store/contract.h"
#include "store/registry.h"

namespace loci {

// For one thread.
class FakeBackend final : public Backend {
 public:
  explicit FakeBackend(std::string name) : marker_(name + ".fake") {
    info_.name = std::move(name);
    info_.spec_version = kSpecVersion;
    info_.capabilities = {std::string(capability::kLocalMode), std::string(capability::kServerMode),
                          std::string(capability::kLexicalSearch)};
  }

  const BackendInfo& info() const override { return info_; }

  bool detect(const std::filesystem::path& folder) const override { return std::filesystem::exists(folder / marker_); }

  Result<std::shared_ptr<Collection>> collection(const PalaceRef& palace, std::string_view name,
                                                 const OpenOptions& options) override {
    TRY(check_palace(palace, info_));
    TRY(check_collection_name(name));
    last_options = options;
    if (options.if_missing == IfMissing::create) {
      if (palace.local_path) {
        std::filesystem::create_directories(*palace.local_path);
        std::ofstream(*palace.local_path / marker_) << "here\n";
      }
      std::shared_ptr<FakeCollection>& collection = palaces[palace.id][std::string(name)];
      if (collection == nullptr) collection = std::make_shared<FakeCollection>();
      return std::shared_ptr<Collection>(collection);
    }
    if (!is_there(palace)) return Error{ErrorKind::palace_not_found, "no palace"};
    const auto found = palaces[palace.id].find(std::string(name));
    if (found == palaces[palace.id].end()) {
      return Error{ErrorKind::collection_not_initialized, "no collection " + std::string(name)};
    }
    return std::shared_ptr<Collection>(found->second);
  }

  Result<std::shared_ptr<Collection>> create_collection(const PalaceRef&, std::string_view,
                                                        const OpenOptions&) override {
    return Error{ErrorKind::unsupported, "not needed"};
  }

  Result<std::vector<CollectionInfo>> collections(const PalaceRef& palace, Access) override {
    if (!is_there(palace)) return Error{ErrorKind::palace_not_found, "no palace"};
    std::vector<CollectionInfo> list;
    for (const auto& [name, collection] : palaces[palace.id]) {
      list.push_back({.name = name, .model = model, .pending = collection->records.size()});
    }
    return list;
  }

  Status delete_collection(const PalaceRef&, std::string_view) override {
    return Error{ErrorKind::unsupported, "not needed"};
  }

  Status set_embedder(const PalaceRef& palace, std::string_view, std::string_view name, std::optional<std::size_t>,
                      ModelSwap swap) override {
    if (!is_there(palace)) return Error{ErrorKind::palace_not_found, "no palace"};
    if (!model.empty() && model != name && swap == ModelSwap::refuse) {
      return Error{ErrorKind::embedder_mismatch, "the model is " + model};
    }
    model = name;
    return ok_status();
  }

  Result<Metadata> maintenance_state(const PalaceRef&, Access) override { return Metadata{}; }
  Result<MaintenanceReport> run_maintenance(const PalaceRef&, std::string_view) override {
    return Error{ErrorKind::unsupported_maintenance_kind, "none"};
  }
  Upkeep* upkeep() override { return nullptr; }
  void close_palace(const PalaceRef&) override {}
  void close() override {}

  std::map<std::string, std::map<std::string, std::shared_ptr<FakeCollection>>> palaces;
  OpenOptions last_options;
  std::string model;

 private:
  // One without a folder is on a server.
  bool is_there(const PalaceRef& palace) const {
    return palace.local_path ? detect(*palace.local_path) : palaces.contains(palace.id);
  }

  BackendInfo info_;
  std::string marker_;
};

// Registers a fake of that name, and gives it to the test.
inline FakeBackend* register_fake(BackendRegistry& registry, const std::string& name) {
  auto backend = std::make_shared<std::unique_ptr<FakeBackend>>(std::make_unique<FakeBackend>(name));
  FakeBackend* raw = backend->get();
  const Status status = registry.add(name, BackendOrigin::code,
                                     [backend] { return Result<std::unique_ptr<Backend>>(std::move(*backend)); });
  return status.ok() ? raw : nullptr;
}

}  // namespace loci
