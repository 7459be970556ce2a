// A Backend keeps palaces; a palace keeps collections.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "loci/collection.h"
#include "loci/embedder.h"
#include "loci/metadata.h"
#include "loci/result.h"
#include "loci/upkeep.h"

namespace loci {

inline constexpr std::string_view kSpecVersion = "1.0";

// What a backend guarantees, as strings so that plug-ins may add their own. Static: guaranteed or left out.
namespace capability {
inline constexpr std::string_view kEmbeddingsIn = "supports_embeddings_in";
inline constexpr std::string_view kEmbeddingsPassthrough = "supports_embeddings_passthrough";
inline constexpr std::string_view kEmbeddingsOut = "supports_embeddings_out";
inline constexpr std::string_view kEstimatedCount = "supports_estimated_count";
inline constexpr std::string_view kUpdate = "supports_update";
inline constexpr std::string_view kMetadataFilters = "supports_metadata_filters";
inline constexpr std::string_view kRangeFilters = "supports_range_filters";
inline constexpr std::string_view kContainsFast = "supports_contains_fast";
inline constexpr std::string_view kLexicalSearch = "supports_lexical_search";
inline constexpr std::string_view kServerSideIndexes = "supports_server_side_indexes";
inline constexpr std::string_view kMigrationExport = "supports_migration_export";
inline constexpr std::string_view kChangeFeed = "supports_change_feed";
inline constexpr std::string_view kSync = "supports_sync";
inline constexpr std::string_view kRequiresExternalService = "requires_external_service";
inline constexpr std::string_view kLocalMode = "local_mode";
inline constexpr std::string_view kServerMode = "server_mode";
inline constexpr std::string_view kServerEmbedder = "server_embedder";
inline constexpr std::string_view kNamespaceIsolation = "supports_namespace_isolation";
inline constexpr std::string_view kListMetadata = "supports_list_metadata";
inline constexpr std::string_view kAtomicBatches = "atomic_batches";
inline constexpr std::string_view kSources = "supports_sources";
}  // namespace capability

// Names a palace. `id` is the cache key and the isolation key: a record of one id is never seen through another.
struct PalaceRef {
  std::string id;
  std::optional<std::filesystem::path> local_path = {};  // local backends need it
  std::optional<std::string> palace_namespace = {};      // only for backends with supports_namespace_isolation

  // The palace in a folder, with the folder as its id.
  static PalaceRef at(const std::filesystem::path& folder) { return {.id = folder.string(), .local_path = folder}; }
};

enum class IfMissing { fail, create };
enum class Access { read_write, read_only };  // read_only: no file is created or changed
enum class EmbedText {
  on_write,
  later,          // records without a vector are stored and wait for it
  leave_missing,  // they are stored and stay without one until Collection::queue_missing is called
};
enum class ModelSwap { refuse, force };  // force: go on with another model than the stored one, and log the swap

struct OpenOptions {
  IfMissing if_missing = IfMissing::fail;
  Access access = Access::read_write;
  DistanceMetric metric = DistanceMetric::cosine;  // of a new collection
  const Embedder* embedder = nullptr;  // for text queries and writes without vectors; outlives the collection
  EmbedText embed_text = EmbedText::on_write;
  ModelSwap model_swap = ModelSwap::refuse;
  bool with_quarantined = false;  // also what was renamed away as damaged, for backends that know such copies
};

struct BackendInfo {
  std::string name;
  std::string spec_version;
  std::set<std::string, std::less<>> capabilities;
  std::optional<std::size_t> max_batch;  // absent: any size
  std::set<std::string, std::less<>> maintenance_kinds;

  bool has(std::string_view token) const { return capabilities.contains(token); }
};

enum class MaintenanceStatus { ran, already_running, noop };
constexpr std::string_view to_string(MaintenanceStatus status) {
  switch (status) {
    case MaintenanceStatus::ran: return "ran";
    case MaintenanceStatus::already_running: return "already_running";
    case MaintenanceStatus::noop: return "noop";
  }
  return "noop";
}
struct MaintenanceReport {
  std::string kind;
  MaintenanceStatus status = MaintenanceStatus::noop;
  Metadata stats;
};

// Construction does no I/O. Calls for different palaces may run at once, from any thread. After close() every call is
// backend_closed. Errors that any of them may give: busy, unavailable, io, corruption, version_mismatch.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual const BackendInfo& info() const = 0;

  // Does this folder hold this backend's files?
  virtual bool detect(const std::filesystem::path& folder) const = 0;

  // Opens a collection, with IfMissing::create also making the palace and the collection. Errors: palace_not_found,
  // collection_not_initialized (the palace is there, the collection is not), embedder_mismatch, dimension_mismatch.
  // Nothing is created after an error about what is missing.
  virtual Result<std::shared_ptr<Collection>> collection(const PalaceRef& palace, std::string_view name,
                                                         const OpenOptions& options) = 0;

  // Like collection() with IfMissing::create, but already_exists if it is there.
  virtual Result<std::shared_ptr<Collection>> create_collection(const PalaceRef& palace, std::string_view name,
                                                                const OpenOptions& options) = 0;

  // The collections of a palace, ordered by name. Errors: palace_not_found.
  virtual Result<std::vector<CollectionInfo>> collections(const PalaceRef& palace, Access access) = 0;

  // Errors: palace_not_found, collection_not_initialized.
  virtual Status delete_collection(const PalaceRef& palace, std::string_view name) = 0;

  // Confirms which model made the vectors of a collection (see OpenOptions::model_swap for replacing one).
  // Errors: embedder_mismatch when another model is recorded and the swap is not forced.
  virtual Status set_embedder(const PalaceRef& palace, std::string_view name, std::string_view model,
                              std::optional<std::size_t> dimension, ModelSwap swap) = 0;

  // A structured report on the palace's indexes and space.
  virtual Result<Metadata> maintenance_state(const PalaceRef& palace, Access access) = 0;

  // Errors: unsupported_maintenance_kind.
  virtual Result<MaintenanceReport> run_maintenance(const PalaceRef& palace, std::string_view kind) = 0;

  // What it can do for the files of a palace; null when it keeps none. Lives as long as the backend.
  virtual Upkeep* upkeep() = 0;

  // Releases one palace; safe on one that was never opened.
  virtual void close_palace(const PalaceRef& palace) = 0;

  // Releases everything.
  virtual void close() = 0;
};

}  // namespace loci
