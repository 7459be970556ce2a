// mine and sync: files into the palace, and out of it again when they are gone.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "api/caller.h"
#include "api/embed_queue.h"
#include "api/request.h"
#include "api/session.h"
#include "api/tables.h"
#include "base/clock.h"
#include "base/file.h"
#include "embed/make_embedder.h"
#include "ingest/mine.h"
#include "ingest/sync.h"
#include "palace/known_place.h"
#include "palace/place.h"

namespace loci {
namespace {

constexpr std::size_t kListedSources = 100;

constexpr Field kPathField = {.name = "path",
                              .type = FieldType::path,
                              .help = "the folder or file",
                              .on_command_line = OnCommandLine::positional,
                              .is_required = true,
                              .placeholder = "PATH"};
constexpr Field kIncludeField = {
    .name = "include",
    .type = FieldType::text_list,
    .help = "take what matches from the project's root on, whatever .gitignore and our own rules say; may be repeated",
    .placeholder = "PATTERN"};
constexpr Field kMaxSizeField = {.name = "max_size",
                                 .type = FieldType::integer,
                                 .help = "pass over files of more bytes",
                                 .default_value = "10000000",
                                 .minimum = 1,
                                 .maximum = 64'000'000,
                                 .placeholder = "BYTES"};

// A link may lead out of the folder in which a model may look around.
Result<std::filesystem::path> path_from(const Request& request, const Caller& caller) {
  std::filesystem::path path = expand_home(request.required_text("path"));
  std::filesystem::path named = path.lexically_normal();
  if (!named.has_filename()) named = named.parent_path();  // the slash at its end would follow the link
  std::error_code error;
  if (!caller.is_person() && std::filesystem::is_symlink(std::filesystem::symlink_status(named, error)))
    return Error{ErrorKind::invalid_argument, path.string() + " is a symbolic link; name what it leads to"};
  return path;
}

Json list_some(const std::vector<std::string>& names) {
  Json list = Json::array();
  for (std::size_t i = 0; i < std::min(names.size(), kListedSources); ++i) list.push_back(names[i]);
  return list;
}

// --- mine ---

constexpr std::string_view kIngestModes[] = {"files", "locomo", "longmemeval"};

constexpr Field kMineFields[] = {
    kPathField,
    {.name = "wing",
     .help = "the wing; as before, else that of loci.yaml or the project's name, if not given",
     .placeholder = "WING"},
    {.name = "mode",
     .help =
         "what the files are; locomo and longmemeval are collections of conversations; as before, else files, if not "
         "given",
     .choices = kIngestModes},
    kIncludeField,
    kMaxSizeField,
    {.name = "chunk_size",
     .type = FieldType::integer,
     .help = "characters that a drawer should have, about; as before, else 800, if not given",
     .minimum = 100,
     .maximum = 20'000,
     .placeholder = "N"},
    {.name = "restore_deleted",
     .type = FieldType::boolean,
     .help = "bring back the drawers of these files that you deleted; they stay away otherwise"},
    {.name = "dry_run", .type = FieldType::boolean, .help = "say what would be stored, and store nothing"},
    {.name = "wait", .type = FieldType::boolean, .help = "return when all drawers have their vectors, too"},
    {.name = "no_embed", .type = FieldType::boolean, .help = "leave the vectors to a later `embed`"},
};
constexpr Example kMineExamples[] = {
    {"mine .", "take up the folder you are in; run it again whenever you like"},
    {"mine . --wing shop --dry-run", "what a project would give"},
    {"mine . --include build/report.md --embedder hash --wait", "one ignored file as well, vectors included"},
};

Json rooms_json(const MineReport& report) {
  Json rooms = Json::array();
  for (const auto& [place, count] : report.rooms) {
    rooms.push_back(
        {{"wing", place.first}, {"room", place.second}, {"drawers", count.drawers}, {"stored", count.stored}});
  }
  return rooms;
}

Json paths_json(const std::vector<PassedOver>& items) {
  Json paths = Json::array();
  for (const PassedOver& item : items) {
    Json entry = {{"path", item.path}};
    if (!item.detail.empty()) entry["detail"] = item.detail;
    paths.push_back(std::move(entry));
  }
  return paths;
}

Json passed_over_json(const PassedOverList& list) {
  Json groups = Json::array();
  for (const auto& [reason, group] : list.groups()) {
    groups.push_back({{"reason", to_string(reason)},
                      {"problem", is_problem(reason)},
                      {"count", group.count},
                      {"paths", paths_json(group.named)}});
  }
  return groups;
}

Json notes_json(const std::vector<FileNote>& notes, const char* counted) {
  Json list = Json::array();
  for (std::size_t i = 0; i < std::min(notes.size(), kListedSources); ++i)
    list.push_back({{"path", notes[i].path}, {counted, notes[i].count}});
  return list;
}

Json kept_json(const MineSettings& kept) {
  Json settings = Json::object();
  if (kept.wing) settings["wing"] = *kept.wing;
  if (kept.mode) settings["mode"] = *kept.mode;
  if (kept.chunk_characters) settings["chunk_size"] = *kept.chunk_characters;
  return settings;
}

Json kept_parts_json(const std::vector<KeptPart>& parts) {
  Json list = Json::array();
  for (std::size_t i = 0; i < std::min(parts.size(), kListedSources); ++i) {
    list.push_back({{"path", parts[i].path},
                    {"wing", parts[i].wing},
                    {"mode", parts[i].mode},
                    {"chunk_size", parts[i].chunk_characters}});
  }
  return list;
}

Json mine_json(const MineReport& report, bool is_dry_run) {
  return {{"root", report.root.string()},
          {"project", report.project_root.string()},
          {"wing", report.wing},
          {"mode", report.mode},
          {"chunk_size", report.chunk_characters},
          {"kept", kept_json(report.kept)},
          {"kept_parts", kept_parts_json(report.kept_parts)},
          {"dry_run", is_dry_run},
          {"files", report.files},
          {"unchanged", report.unchanged},
          {"added", report.added},
          {"changed", report.changed},
          {"renamed", report.renamed},
          {"bytes", report.bytes},
          {"drawers",
           {{"stored", report.drawers.stored},
            {"moved", report.drawers.moved},
            {"unchanged", report.drawers.unchanged},
            {"removed", report.drawers.removed},
            {"held_back", report.drawers.held_back}}},
          {"rooms", rooms_json(report)},
          {"passed_over", passed_over_json(report.passed_over)},
          {"emptied", notes_json(report.emptied, "drawers")},
          {"replaced_nuls", notes_json(report.nuls, "characters")},
          {"unmatched", report.unmatched},
          {"gone", report.gone.size()},
          {"gone_sources", list_some(report.gone)},
          {"left_out", report.left_out.size()},
          {"left_out_sources", list_some(report.left_out)}};
}

// A backend that cannot take a mine shows before a palace is made, and in a dry run as well.
Status check_keeps_sources(const Backend& backend) {
  if (backend.info().has(capability::kSources)) return ok_status();
  return Error{ErrorKind::unsupported,
               "the backend " + backend.info().name +
                   " keeps no sources, which mining needs; give --palace one of the backend loci"};
}

// Null for a dry run into a palace that is not there.
Result<std::shared_ptr<Collection>> drawers_to_mine(Session& session, const ChosenPalace& palace, bool is_dry_run) {
  if (!is_dry_run) return session.drawers(palace, Purpose::store_texts, IfMissing::create);
  Result<std::shared_ptr<Collection>> drawers = session.drawers(palace, Purpose::read, IfMissing::fail);
  const bool is_missing = !drawers.ok() && (drawers.error().kind == ErrorKind::palace_not_found ||
                                            drawers.error().kind == ErrorKind::collection_not_initialized);
  if (is_missing) return std::shared_ptr<Collection>();
  return drawers;
}

// The scopes with names that wings and rooms may have, and those that the palace has for them, however they are spelled
// now.
Result<MineScopes> checked_scopes(const Collection* drawers, const MineRequest& what) {
  MineScopes scopes = TRY(resolve_scopes(drawers, what));
  const auto check = [&](MineScope& scope) -> Status {
    TRY(check_place_name("wing", scope.wing));
    for (const RoomRule& room : scope.config.rooms) TRY(check_place_name("room", room.name));
    if (drawers != nullptr) scope.wing = TRY(known_place(*drawers, scope.wing, std::nullopt)).wing.value_or(scope.wing);
    return ok_status();
  };
  TRY(check(scopes.main));
  for (MineScope& part : scopes.parts) TRY(check(part));
  return scopes;
}

Result<MineReport> mine_with_progress(Collection* drawers, const MineRequest& what, const MineScopes& scopes,
                                      Caller& caller) {
  const MineObserver observer = {
      .progress =
          [&](const MineProgress& progress) {
            const std::string detail =
                std::to_string(progress.files) + " files, " + std::to_string(progress.drawers) + " drawers";
            caller.progress(
                {.unit = "bytes", .done = progress.bytes, .total = progress.bytes_in_all, .detail = detail});
          },
      .is_cancelled = [&] { return caller.is_cancelled(); },
  };
  return mine(drawers, what, scopes, observer);
}

Effect effect_of_mine(const Request& request) { return request.flag("dry_run") ? Effect::reads : Effect::writes; }

Result<Answer> run_mine(Session& session, const Request& request, Caller& caller) {
  const bool is_dry_run = request.flag("dry_run");
  std::filesystem::path path = TRY(path_from(request, caller));
  MineSettings settings = {.wing = request.text("wing"), .mode = request.text("mode")};
  if (settings.wing && settings.wing->empty()) settings.wing.reset();
  if (const auto size = request.integer("chunk_size")) settings.chunk_characters = static_cast<std::size_t>(*size);
  const MineRequest what = {
      .path = std::move(path),
      .settings = std::move(settings),
      .include = request.texts("include"),
      .max_file_bytes = static_cast<std::uint64_t>(request.required_integer("max_size")),
      .deleted = request.flag("restore_deleted") ? Deleted::restore : Deleted::hold_back,
      .run = is_dry_run ? MineRun::dry_run : MineRun::store,
      .now_unix_ms = now_unix_ms(),
  };
  if (request.flag("wait") && (is_dry_run || request.flag("no_embed"))) {
    return Error{ErrorKind::invalid_argument, "there is nothing to wait for with dry_run or no_embed; leave wait out"};
  }
  // What is wrong with the request shows before a palace is made.
  TRY(checked_scopes(nullptr, what));
  const ChosenPalace palace = TRY(session.palace());
  TRY(check_keeps_sources(*palace.backend));
  if (request.flag("wait")) TRY(embedder_in_force(session, palace.settings));
  const std::shared_ptr<Collection> drawers = TRY(drawers_to_mine(session, palace, is_dry_run));
  const MineScopes scopes = TRY(checked_scopes(drawers.get(), what));
  const MineReport report = TRY(mine_with_progress(drawers.get(), what, scopes, caller));
  Json body = mine_json(report, is_dry_run);
  body["palace"] = palace.settings.palace.string();
  if (request.flag("wait")) {
    const EmbedQueueReport embedded = TRY(embed_waiting(session, palace, caller));
    body["embedded"] = embedded.embedded;
    body["refused"] = refused_to_json(embedded.refused);
  }
  if (drawers != nullptr) body["pending"] = TRY(drawers->info()).pending;
  if (palace.settings.embedder.value == kNoEmbedder) {
    body["embed"] = "never";
  } else {
    body["embed"] = to_string(request.flag("no_embed") ? EmbedWhen::later : palace.settings.embed);
  }
  const bool has_problem = report.passed_over.count(PassReason::unreadable) > 0;
  Answer answer{std::move(body), has_problem ? Outcome::needs_attention : Outcome::done};
  if (!is_dry_run && !request.flag("wait") && !request.flag("no_embed")) {
    embed_now(session, palace, caller, answer);
    answer.body["pending"] = TRY(drawers->info()).pending;
  }
  return answer;
}

// --- sync ---

constexpr Field kSyncFields[] = {
    kPathField,
    {.name = "apply", .type = FieldType::boolean, .help = "remove them; without it they are only counted"},
    {.name = "missing_root",
     .type = FieldType::boolean,
     .help = "folders that are gone or empty are so on purpose, and their drawers may go"},
    kIncludeField,
    kMaxSizeField,
};
constexpr Example kSyncExamples[] = {
    {"sync ~/notes", "which sources have no file any more"},
    {"sync ~/notes --apply", "remove their drawers"},
    {"sync ~/notes/old --apply --missing-root", "a folder that was deleted as a whole"},
};

Json missing_folders_json(const std::vector<MissingFolder>& folders) {
  Json list = Json::array();
  for (std::size_t i = 0; i < std::min(folders.size(), kListedSources); ++i)
    list.push_back({{"path", folders[i].path}, {"sources", folders[i].sources}});
  return list;
}

Effect effect_of_sync(const Request& request) { return request.flag("apply") ? Effect::destroys : Effect::reads; }

Result<Answer> run_sync(Session& session, const Request& request, Caller& caller) {
  std::filesystem::path path = TRY(path_from(request, caller));
  const SyncRequest what = {
      .path = std::move(path),
      .include = request.texts("include"),
      .max_file_bytes = static_cast<std::uint64_t>(request.required_integer("max_size")),
      .run = request.flag("apply") ? SyncRun::apply : SyncRun::dry_run,
      .missing_root = request.flag("missing_root") ? MissingRoot::accept : MissingRoot::ask,
  };
  const ChosenPalace palace = TRY(session.palace());
  const std::shared_ptr<Collection> drawers = TRY(session.drawers(palace, Purpose::store_texts, IfMissing::fail));
  const SyncReport report = TRY(sync_sources(*drawers, what, [&] { return caller.is_cancelled(); }));
  const bool needs_attention = !report.missing_folders.empty() || !report.unread.empty();
  return Answer{{{"root", report.root.string()},
                 {"applied", what.run == SyncRun::apply && !report.root_is_missing},
                 {"root_is_missing", report.root_is_missing},
                 {"missing_folders", missing_folders_json(report.missing_folders)},
                 {"kept", report.kept},
                 {"unjudged", report.unjudged},
                 {"unread", paths_json(report.unread)},
                 {"gone", report.gone.size()},
                 {"gone_sources", list_some(report.gone)},
                 {"left_out", report.left_out.size()},
                 {"left_out_sources", list_some(report.left_out)},
                 {"removed_drawers", report.removed_drawers}},
                needs_attention ? Outcome::needs_attention : Outcome::done};
}

}  // namespace

constexpr Operation kMineOperation = {
    .name = "mine",
    .summary = "Take the files of a folder into the palace, word for word; again and again.",
    .fields = kMineFields,
    .examples = kMineExamples,
    .effect = Effect::writes,
    .creates_palace = CreatesPalace::yes,
    .names_files = NamesFiles::yes,
    .effect_of = effect_of_mine,
    .stores_texts = StoresTexts::yes,
    .run = run_mine,
};
constexpr Operation kSyncOperation = {
    .name = "sync",
    .summary = "Find drawers whose files are gone, and with --apply remove them.",
    .fields = kSyncFields,
    .examples = kSyncExamples,
    .effect = Effect::destroys,
    .names_files = NamesFiles::yes,
    .effect_of = effect_of_sync,
    .run = run_sync,
};

}  // namespace loci
