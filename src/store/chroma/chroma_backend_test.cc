#include "store/chroma/chroma_backend.h"

#include <utility>

#include <gtest/gtest.h>

namespace loci::chroma {
namespace {

// Answers every call that names a palace with its own name.
class NamedBackend : public Backend {
 public:
  explicit NamedBackend(std::string name, BackendInfo info) : name_(std::move(name)), info_(std::move(info)) {}

  const BackendInfo& info() const override { return info_; }
  bool detect(const std::filesystem::path&) const override { return true; }
  Result<std::shared_ptr<Collection>> collection(const PalaceRef&, std::string_view, const OpenOptions&) override {
    return me();
  }
  Result<std::shared_ptr<Collection>> create_collection(const PalaceRef&, std::string_view,
                                                        const OpenOptions&) override {
    return me();
  }
  Result<std::vector<CollectionInfo>> collections(const PalaceRef&, Access) override { return me(); }
  Status delete_collection(const PalaceRef&, std::string_view) override { return me(); }
  Status set_embedder(const PalaceRef&, std::string_view, std::string_view, std::optional<std::size_t>,
                      ModelSwap) override {
    return me();
  }
  Result<Metadata> maintenance_state(const PalaceRef&, Access) override { return me(); }
  Result<MaintenanceReport> run_maintenance(const PalaceRef&, std::string_view) override { return me(); }
  Upkeep* upkeep() override { return nullptr; }
  void close_palace(const PalaceRef&) override {}
  void close() override {}

 private:
  Error me() const { return {ErrorKind::internal, name_}; }

  const std::string name_;
  const BackendInfo info_;
};

std::unique_ptr<Backend> named(std::string name, BackendInfo info = {}) {
  return std::make_unique<NamedBackend>(std::move(name), std::move(info));
}

TEST(ChromaBackendTest, AFolderAndAnAddressAreDifferentPlaces) {
  const auto backend = make_backend_by_place(named("folders"), named("servers"));
  EXPECT_EQ(backend->collections(PalaceRef::at("/palace"), Access::read_only).error().message, "folders");
  EXPECT_EQ(backend->collections({.id = "http://localhost:8000"}, Access::read_only).error().message, "servers");
  EXPECT_EQ(backend->collections({.id = "https://example.org/t/d"}, Access::read_only).error().message, "servers");
  EXPECT_EQ(backend->collections(PalaceRef::at("http://odd/folder"), Access::read_only).error().message, "folders");
  EXPECT_EQ(backend->collections({.id = "nowhere"}, Access::read_only).error().message, "folders");
}

TEST(ChromaBackendTest, OnlyWhatBothGuaranteeIsPromised) {
  const auto backend = make_backend_by_place(
      named("folders", {.name = "chroma",
                        .spec_version = "1.0",
                        .capabilities = {"atomic_batches", "local_mode", "supports_embeddings_in"},
                        .max_batch = {},
                        .maintenance_kinds = {}}),
      named("servers", {.name = "chroma",
                        .spec_version = "1.0",
                        .capabilities = {"server_mode", "supports_embeddings_in", "supports_namespace_isolation"},
                        .max_batch = 100,
                        .maintenance_kinds = {}}));
  EXPECT_EQ(backend->info().capabilities,
            (std::set<std::string, std::less<>>{"local_mode", "server_mode", "supports_embeddings_in"}));
  EXPECT_EQ(backend->info().max_batch, 100U);
}

TEST(ChromaBackendTest, APlaceWithoutAPartIsRefused) {
  const auto backend = make_backend_by_place(named("folders"), nullptr);
  EXPECT_EQ(backend->delete_collection({.id = "http://localhost:8000"}, "c").error().kind, ErrorKind::unsupported);
}

TEST(ChromaBackendTest, TheFilesOfAServerAreNotLookedAfterHere) {
  const auto backend = make_chroma_backend({}, {});
  const PalaceRef server{.id = "http://localhost:8000"};
  Upkeep& upkeep = *backend->upkeep();
  for (const Error& error :
       {upkeep.verify(server, VerifyDepth::quick).error(), upkeep.quarantine(server, {}).error(),
        upkeep.mend(server, "seq-ids", Apply::no).error(), upkeep.salvage(server, PalaceRef::at("/new")).error()}) {
    EXPECT_EQ(error.kind, ErrorKind::unsupported);
    EXPECT_NE(error.message.find("http://localhost:8000"), std::string::npos) << error.message;
  }
}

}  // namespace
}  // namespace loci::chroma
