#include "ingest/mined_folder.h"

#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "ingest/export_json.h"
#include "ingest/known_sources.h"
#include "ingest/missing_folder.h"
#include "ingest/project_config.h"

namespace loci {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view kPrefix = "mined:";  // before the path; names of files begin with a slash
constexpr const char* kAsKey = "as";
constexpr const char* kWingName = "wing";
constexpr const char* kConfiguredWingName = "configured_wing";
constexpr const char* kModeName = "mode";
constexpr const char* kChunkSizeName = "chunk_size";
constexpr std::string_view kProject = "project";
constexpr std::string_view kPart = "part";

std::string name_of(std::string_view path) { return std::string(kPrefix).append(path); }

std::string to_text(const MinedFolder& folder) {
  Json note = {{kAsKey, folder.as == MinedAs::project ? kProject : kPart}};
  if (folder.settings.wing) note[kWingName] = *folder.settings.wing;
  if (!folder.configured_wing.empty()) note[kConfiguredWingName] = folder.configured_wing;
  if (folder.settings.mode) note[kModeName] = *folder.settings.mode;
  if (folder.settings.chunk_characters) note[kChunkSizeName] = *folder.settings.chunk_characters;
  return note.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<MinedFolder> parse_mined_folder(std::string_view path, std::string_view text) {
  const Json note = parse_export(text);
  const std::string as = text_in(note, kAsKey);
  if (as != kProject && as != kPart) return std::nullopt;
  MinedFolder folder = {.path = std::string(path), .as = as == kProject ? MinedAs::project : MinedAs::part};
  if (note.contains(kWingName)) folder.settings.wing = text_in(note, kWingName);
  if (note.contains(kModeName)) folder.settings.mode = text_in(note, kModeName);
  folder.configured_wing = text_in(note, kConfiguredWingName);
  if (const Json& size = value_in(note, kChunkSizeName); size.is_number_unsigned())
    folder.settings.chunk_characters = size.get<std::size_t>();
  return folder;
}

}  // namespace

Result<MinedFolders> MinedFolders::load(const Collection* drawers) {
  MinedFolders folders;
  if (drawers == nullptr) return folders;
  for (const SourceInfo& source : TRY(drawers->sources(kPrefix))) {
    const std::string path = source.name.substr(kPrefix.size());
    if (auto folder = parse_mined_folder(path, source.state)) folders.stored_.emplace(path, std::move(*folder));
  }
  folders.folders_ = folders.stored_;
  return folders;
}

const MinedFolder* MinedFolders::nearest(const std::string& path) const {
  for (fs::path folder = path;; folder = folder.parent_path()) {
    if (const auto found = folders_.find(folder.string()); found != folders_.end()) return &found->second;
    if (folder == folder.root_path()) return nullptr;
  }
}

std::vector<MinedFolder> MinedFolders::below(const std::string& path) const {
  std::vector<MinedFolder> found;
  for (auto entry = folders_.upper_bound(path); entry != folders_.end() && entry->first.starts_with(path); ++entry) {
    if (is_below(entry->first, path)) found.push_back(entry->second);
  }
  return found;
}

Result<fs::path> MinedFolders::find_project_root(const fs::path& start,
                                                 const std::function<Result<bool>(const fs::path&)>& is_apart) const {
  std::error_code error;
  const fs::path first = fs::is_directory(start, error) ? start : start.parent_path();
  std::optional<fs::path> version_control;
  for (fs::path folder = first;; folder = folder.parent_path()) {
    const auto noted = folders_.find(folder.string());
    if (noted != folders_.end() && noted->second.as == MinedAs::project) {
      return version_control && TRY(is_apart(*version_control)) ? *version_control : folder;
    }
    if (has_project_config(folder)) return version_control.value_or(folder);
    if (!version_control && has_version_control(folder)) version_control = folder;
    if (folder == folder.root_path()) return version_control.value_or(first);
  }
}

void MinedFolders::note(MinedFolder folder) {
  std::string path = folder.path;
  folders_.insert_or_assign(std::move(path), std::move(folder));
}

void MinedFolders::say(const std::string& path, const MineSettings& settings) {
  for (auto& [noted, folder] : folders_) {
    if (noted != path && !is_below(noted, path)) continue;
    if (settings.wing) folder.settings.wing = settings.wing;
    if (settings.wing && noted != path && !has_project_config(noted)) folder.as = MinedAs::part;
    if (settings.mode) folder.settings.mode = settings.mode;
    if (settings.chunk_characters) folder.settings.chunk_characters = settings.chunk_characters;
  }
}

Status MinedFolders::store(Collection& drawers) const {
  std::vector<SourceUpdate> updates;
  for (const auto& [path, folder] : folders_) {
    const auto before = stored_.find(path);
    if (before == stored_.end() || before->second != folder)
      updates.push_back({.name = name_of(path), .state = to_text(folder)});
  }
  if (!updates.empty()) TRY(drawers.replace_sources(updates));
  return {};
}

Status forget_gone_folders(Collection& drawers, const std::string& path) {
  std::vector<std::string> names;
  for (const SourceInfo& note : TRY(drawers.sources(name_of(path)))) {
    const std::string folder = note.name.substr(kPrefix.size());
    const bool is_concerned = (folder == path || is_below(folder, path)) && look_for(folder) == OnDisk::gone;
    if (is_concerned && TRY(known_sources(drawers, folder)).empty()) names.push_back(note.name);
  }
  if (!names.empty()) TRY(drawers.erase_sources(names));
  return {};
}

}  // namespace loci
