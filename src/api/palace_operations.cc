// init and status: the palace as a whole.
#include <cstdint>
#include <memory>
#include <system_error>
#include <utility>

#include "api/caller.h"
#include "api/configuration_file.h"
#include "api/embedding_worker.h"
#include "api/reembed.h"
#include "api/request.h"
#include "api/session.h"
#include "api/tables.h"
#include "ops/migration_record.h"
#include "palace/overview.h"

namespace loci {
namespace {

namespace fs = std::filesystem;

Json setting_to_json(const Setting& setting) {
  return {{"name", setting.value}, {"reason", to_string(setting.origin)}};
}

template <typename T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// --- init ---

constexpr Example kInitExamples[] = {
    {"init", "the default palace"},
    {"init --palace work", "a palace of its own, by name"},
    {"init --palace ./team --collection notes", "a palace in a folder, with settings that stay with it"},
};

// What the flags say and the defaults do not, to be kept with the palace.
SettingsLayer settings_to_keep(const SettingsLayer& flags) {
  SettingsLayer keep = {.palace_namespace = flags.palace_namespace};
  if (flags.backend && *flags.backend != kDefaultBackend) keep.backend = flags.backend;
  if (flags.collection && *flags.collection != kDefaultCollection) keep.collection = flags.collection;
  if (flags.embedder) keep.embedder = flags.embedder;
  if (flags.embed) keep.embed = flags.embed;
  return keep;
}

bool is_empty(const SettingsLayer& layer) {
  return !layer.palace && !layer.backend && !layer.collection && !layer.palace_namespace && !layer.embedder &&
         !layer.embed;
}

Result<Answer> run_init(Session& session, const Request&, Caller&) {
  const ChosenPalace palace = TRY(session.palace());
  const Result<std::vector<CollectionInfo>> before = palace.backend->collections(palace.ref, session.options().access);
  if (!before.ok() && before.error().kind != ErrorKind::palace_not_found) return before.error();
  TRY(session.embedder(palace.settings));  // an unknown name shows before anything is created
  TRY(session.drawers(palace, Purpose::write_texts, IfMissing::create));

  const SettingsLayer keep = settings_to_keep(session.options().sources.flags);
  // A palace on a server has no folder to keep settings in.
  const bool is_kept = !is_empty(keep) && palace.ref.local_path;
  if (is_kept) TRY(write_palace_configuration(*palace.ref.local_path, keep));
  return Answer{{{"palace", palace.settings.palace.string()},
                 {"created", !before.ok()},
                 {"backend", setting_to_json(palace.settings.backend)},
                 {"collection", palace.settings.collection.value},
                 {"embedder", palace.settings.embedder.value},
                 {"configuration_written", is_kept}}};
}

// --- status ---

constexpr Example kStatusExamples[] = {
    {"status", "wings, rooms and how many drawers they hold"},
    {"status --palace work --json", "of another palace, for another program"},
};

// Symbolic links are not followed: what they name is not the palace's.
std::uint64_t size_on_disk(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;  // a file that vanished meanwhile takes no space
    if (entry->symlink_status(ignored).type() != fs::file_type::regular) continue;
    const std::uintmax_t size = entry->file_size(ignored);
    if (!ignored) bytes += size;
  }
  return bytes;
}

Json wings_to_json(const std::vector<WingCount>& wings) {
  Json list = Json::array();
  for (const WingCount& wing : wings) {
    Json rooms = Json::array();
    for (const RoomCount& room : wing.rooms)
      rooms.push_back({{"room", value_or_null(room.room)}, {"drawers", room.drawers}});
    list.push_back({{"wing", value_or_null(wing.wing)}, {"drawers", wing.drawers}, {"rooms", std::move(rooms)}});
  }
  return list;
}

// Null when there is nothing to tell.
Json worker_to_json(const WorkerState& state, std::size_t pending) {
  if (!state.is_at_work) return state.error.empty() || pending == 0 ? Json(nullptr) : Json{{"error", state.error}};
  Json json = {{"embedded", state.embedded}, {"per_second", nullptr}, {"seconds_left", nullptr}};
  if (state.per_second > 0) {
    json["per_second"] = state.per_second;
    json["seconds_left"] = static_cast<double>(pending) / state.per_second;
  }
  return json;
}

Result<Answer> run_status(Session& session, const Request&, Caller&) {
  const ChosenPalace palace = TRY(session.palace());
  const Access access = session.options().access;
  // One that was asked for has to be there; the default one need not.
  if (palace.settings.collection.origin == SettingOrigin::flag) {
    TRY(session.drawers(palace, Purpose::read, IfMissing::fail));
  }
  const std::string& main_name = palace.settings.collection.value;
  std::size_t drawers = 0;
  std::size_t pending = 0;
  std::size_t missing = 0;
  Json model = nullptr;
  Json reembedding = nullptr;
  Json wings = Json::array();
  Json collections = Json::array();
  for (const CollectionInfo& info : TRY(palace.backend->collections(palace.ref, access))) {
    if (info.name == kMigrationsCollection) continue;  // it has no drawers
    const std::shared_ptr<Collection> collection =
        TRY(palace.backend->collection(palace.ref, info.name, {.access = access}));
    std::size_t count = 0;
    if (info.name == main_name) {
      const std::vector<WingCount> by_wing = TRY(count_wings(*collection));
      for (const WingCount& wing : by_wing) count += wing.drawers;
      wings = wings_to_json(by_wing);
      drawers = count;
      pending = info.pending;
      missing = info.missing;
      model = text_or_null(info.model);
      reembedding = TRY(reembedding_to_json(*collection));
    } else {
      count = TRY(collection->count());
    }
    collections.push_back({{"name", info.name},
                           {"drawers", count},
                           {"pending", info.pending},
                           {"missing", info.missing},
                           {"model", text_or_null(info.model)},
                           {"dimension", value_or_null(info.dimension)},
                           {"metric", to_string(info.metric)}});
  }
  return Answer{{{"palace", palace.settings.palace.string()},
                 {"drawers", drawers},
                 {"pending", pending},
                 {"missing", missing},
                 {"worker", worker_to_json(worker_state(palace.settings.palace), pending)},
                 {"reembedding", std::move(reembedding)},
                 {"wings", std::move(wings)},
                 {"model", std::move(model)},
                 {"embedder", setting_to_json(palace.settings.embedder)},
                 {"backend", setting_to_json(palace.settings.backend)},
                 {"collection", setting_to_json(palace.settings.collection)},
                 {"collections", std::move(collections)},
                 {"size_bytes", size_on_disk(palace.settings.palace)}}};
}

}  // namespace

constexpr Operation kInitOperation = {
    .name = "init",
    .summary = "Create a palace, or keep other settings with one that is there; its drawers stay as they are.",
    .fields = {},
    .examples = kInitExamples,
    .effect = Effect::writes,
    .creates_palace = CreatesPalace::yes,
    .run = run_init,
};
constexpr Operation kStatusOperation = {
    .name = "status",
    .summary = "Show what a palace holds: wings, rooms, drawers, model and size.",
    .fields = {},
    .examples = kStatusExamples,
    .run = run_status,
};

}  // namespace loci
