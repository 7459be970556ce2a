#include "store/chroma/server_backend.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "store/chroma/server_collection.h"
#include "store/contract.h"
#include "store/guarded_backend.h"
#include "store/identity.h"

namespace loci {
namespace chroma {
namespace {

constexpr std::size_t kMaxBatch = 5'461;      // the server's own limit
constexpr std::size_t kCollectionPage = 100;  // collections listed at once

class ServerBackend : public Backend {
 public:
  explicit ServerBackend(ServerOptions options) : options_(std::move(options)) {}

  const BackendInfo& info() const override { return server_backend_info(); }
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
    const std::shared_ptr<const ServerClient> client = TRY(client_for(palace));
    TRY(check_there(*client));
    std::vector<CollectionInfo> infos;
    for (std::size_t offset = 0;; offset += kCollectionPage) {
      const Json page = TRY(client->call(
          "GET", "collections?limit=" + std::to_string(kCollectionPage) + "&offset=" + std::to_string(offset)));
      for (const Json& each : page) infos.push_back(TRY(row_from(each)).info);
      if (page.size() < kCollectionPage) break;
    }
    std::sort(infos.begin(), infos.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return infos;
  }

  Status delete_collection(const PalaceRef& palace, std::string_view name) override {
    const std::shared_ptr<const ServerClient> client = TRY(client_for(palace));
    TRY(find_row(*client, name));
    const Result<Json> gone = client->call("DELETE", "collections/" + percent_encoded(server_name(name)));
    // Gone already: by another one, or by the first attempt, whose answer was lost.
    if (gone.ok() || gone.error().kind == ErrorKind::not_found) return ok_status();
    return gone.error();
  }

  Status set_embedder(const PalaceRef& palace, std::string_view name, std::string_view model,
                      std::optional<std::size_t> dimension, ModelSwap swap) override {
    const std::shared_ptr<const ServerClient> client = TRY(client_for(palace));
    const ServerCollectionRow row = TRY(find_row(*client, name));
    TRY(check_new_model({.collection = name, .model = row.info.model, .dimension = row.info.dimension}, model,
                        dimension, swap, [&]() -> Result<bool> { return TRY(count_rows(*client, row)) > 0; }));
    return write_model(*client, row, model, dimension);
  }

  Result<Metadata> maintenance_state(const PalaceRef& palace, Access) override {
    const std::shared_ptr<const ServerClient> client = TRY(client_for(palace));
    TRY(check_there(*client));
    const Json version = TRY(client->about("version"));
    return Metadata{{"server", client->place().url},
                    {"version", version.is_string() ? version.get<std::string>() : version.dump()},
                    {"tenant", client->place().tenant},
                    {"database", client->place().database}};
  }

  Result<MaintenanceReport> run_maintenance(const PalaceRef& palace, std::string_view kind) override {
    TRY(client_for(palace));
    return Error{ErrorKind::unsupported_maintenance_kind,
                 "a Chroma server looks after itself; there is no maintenance " + in_quotes(kind)};
  }

  Upkeep* upkeep() override { return nullptr; }
  void close_palace(const PalaceRef&) override {}  // nothing is kept open
  void close() override { *closed_ = true; }

 private:
  enum class IfThere { open, fail };

  Result<std::shared_ptr<const ServerClient>> client_for(const PalaceRef& palace) const {
    TRY(check_open(closed_));
    TRY(check_palace(palace, info()));
    ServerPlace place = TRY(parse_place(palace));
    return std::make_shared<const ServerClient>(std::move(place), options_);
  }

  static Status check_there(const ServerClient& client) {
    if (TRY(client.has_database())) return ok_status();
    return Error{ErrorKind::palace_not_found, "the server " + client.place().url + " has no database " +
                                                  in_quotes(client.place().database) + " of the tenant " +
                                                  in_quotes(client.place().tenant)};
  }

  Result<std::shared_ptr<Collection>> open(const PalaceRef& palace, std::string_view name, const OpenOptions& options,
                                           IfThere if_there) const {
    const std::shared_ptr<const ServerClient> client = TRY(client_for(palace));
    TRY(check_collection_name(name));
    Result<ServerCollectionRow> row = find_row(*client, name);
    if (row.ok() && if_there == IfThere::fail) return collection_exists(name);
    if (!row.ok()) {
      const ErrorKind kind = row.error().kind;
      const bool is_missing = kind == ErrorKind::palace_not_found || kind == ErrorKind::collection_not_initialized;
      if (!is_missing || options.if_missing == IfMissing::fail || options.access == Access::read_only)
        return row.error();
      if (kind == ErrorKind::palace_not_found) TRY(client->make_database());
      row = create(*client, name, options, if_there);
      if (!row.ok()) return row.error();
    }
    TRY(check_embedder(*client, *row, options));
    return std::shared_ptr<Collection>(std::make_shared<ServerCollection>(client, std::string(name), options, closed_));
  }

  static Result<ServerCollectionRow> create(const ServerClient& client, std::string_view name,
                                            const OpenOptions& options, IfThere if_there) {
    const std::string its_name = server_name(name);
    Json body = {{"name", its_name},
                 {"get_or_create", if_there == IfThere::open},
                 {"configuration", {{"hnsw", {{"space", to_string(options.metric)}}}}}};
    if (its_name != name) body["metadata"] = {{"loci:name", name}};
    // Sent twice, the second would say that it is there already.
    return row_from(
        TRY(client.call("POST", "collections", body, if_there == IfThere::open ? Repeat::may : Repeat::must_not)));
  }

  // E3: the stored model against the embedder at hand; a forced swap is stored.
  static Status check_embedder(const ServerClient& client, const ServerCollectionRow& row, const OpenOptions& options) {
    if (options.embedder == nullptr) return ok_status();
    const bool has_vectors = TRY(count_rows(client, row)) > 0;
    const IdentityCheck check =
        check_identity(row.info.model, row.info.dimension, has_vectors, options.embedder, options.model_swap);
    TRY(check.open);
    if (!check.swaps_model || options.access == Access::read_only) return ok_status();
    return write_model(client, row, options.embedder->model_name(), options.embedder->dimension());
  }

  const ServerOptions options_;
  const std::shared_ptr<std::atomic<bool>> closed_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace

const BackendInfo& server_backend_info() {
  using namespace capability;
  static const BackendInfo kInfo{
      .name = "chroma",
      .spec_version = std::string(kSpecVersion),
      .capabilities = {std::string(kEmbeddingsIn), std::string(kEmbeddingsPassthrough), std::string(kEmbeddingsOut),
                       std::string(kMetadataFilters), std::string(kRangeFilters), std::string(kServerSideIndexes),
                       std::string(kMigrationExport), std::string(kRequiresExternalService), std::string(kServerMode),
                       std::string(kNamespaceIsolation)},
      .max_batch = kMaxBatch,
      .maintenance_kinds = {},
  };
  return kInfo;
}

}  // namespace chroma

std::unique_ptr<Backend> make_chroma_server_backend(chroma::ServerOptions options) {
  return guarded(std::make_unique<chroma::ServerBackend>(std::move(options)));
}

}  // namespace loci
