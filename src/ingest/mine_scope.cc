#include "ingest/mine_scope.h"

#include <map>
#include <system_error>
#include <utility>

#include <sys/stat.h>

#include "base/file.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "ingest/drawer_keys.h"
#include "ingest/known_sources.h"
#include "text/place_name.h"

namespace loci {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRecipeDigits = 16;

// A pattern as people write paths, from the project's root on: "./build/x.md" and the whole path of such a file.
std::string from_root(const std::string& pattern, const fs::path& path, const WalkRequest& walk) {
  if (pattern.starts_with("./")) return pattern.substr(1);
  const std::string root = walk.project_root.string();
  if (pattern.starts_with(root + "/")) return pattern.substr(root.size());
  std::error_code error;
  const std::string written = (fs::absolute(path, error).lexically_normal() / "").string();
  if (!pattern.starts_with(written)) return pattern;
  return from_root((walk.start / pattern.substr(written.size())).string(), path, walk);
}

Result<fs::path> canonical_path(const fs::path& path) {
  std::error_code error;
  fs::path start = fs::canonical(path, error);
  if (error) return io_error("cannot read", path, error.value());
  if (is_valid_utf8(start.string())) return start;
  return Error{ErrorKind::invalid_argument,
               "the name of " + to_valid_utf8(start.string()) + " is not UTF-8; rename it"};
}

// What was mined by itself may be a link by now, or not there.
bool is_file_or_folder(const std::string& path) {
  struct stat status = {};
  return ::lstat(path.c_str(), &status) == 0 && (S_ISDIR(status.st_mode) || S_ISREG(status.st_mode));
}

class Resolver {
 public:
  Resolver(const Collection* drawers, const MineRequest& request) : drawers_(drawers), request_(request) {}

  Result<MineScopes> resolve_all() {
    scopes_.folders = TRY(MinedFolders::load(drawers_));
    const fs::path start = TRY(canonical_path(request_.path));
    scopes_.main.walk.start = start;
    scopes_.main.walk.project_root = TRY(root_of_named(start));
    TRY(note_mined(start, scopes_.main.walk.project_root));
    TRY(read_include());
    TRY(complete(scopes_.main));
    note_kept();
    for (const MinedFolder& folder : scopes_.folders.below(start.string())) {
      if (!is_file_or_folder(folder.path)) continue;
      MineScope& part = scopes_.parts.emplace_back();
      part.walk.start = folder.path;
      part.walk.project_root = TRY(root_of(folder.path));
      TRY(complete(part));
    }
    scopes_.main.walk.apart = parts_below(start.string(), 0);
    for (std::size_t i = 0; i < scopes_.parts.size(); ++i)
      scopes_.parts[i].walk.apart = parts_below(scopes_.parts[i].walk.start.string(), i + 1);
    return std::move(scopes_);
  }

 private:
  // A checkout below a mined folder is a part of it once something of it was mined with the folder.
  Result<fs::path> root_of(const fs::path& path) const {
    return scopes_.folders.find_project_root(path, [&](const fs::path& checkout) -> Result<bool> {
      return drawers_ == nullptr || TRY(known_sources(*drawers_, checkout.string())).empty();
    });
  }

  // A folder that is given a wing is a project of its own, unless what it is a part of is one by more than being mined.
  Result<fs::path> root_of_named(const fs::path& start) const {
    fs::path root = TRY(root_of(start));
    std::error_code error;
    if (!request_.settings.wing || !fs::is_directory(start, error)) return root;
    return has_version_control(start) || !is_marked(root) ? start : root;
  }

  // From that number on; the parts are in the order of their paths.
  std::vector<std::string> parts_below(const std::string& folder, std::size_t first) const {
    std::vector<std::string> paths;
    for (std::size_t i = first; i < scopes_.parts.size(); ++i) {
      std::string path = scopes_.parts[i].walk.start.string();
      if (!path.starts_with(folder)) break;
      if (is_below(path, folder)) paths.push_back(std::move(path));
    }
    return paths;
  }

  static bool is_marked(const fs::path& project_root) {
    return has_project_config(project_root) || has_version_control(project_root);
  }

  Result<const ProjectConfig*> config_of(const fs::path& project_root) {
    const auto [entry, is_new] = configs_.try_emplace(project_root.string());
    if (is_new) entry->second = TRY(load_project_config(project_root));
    return &entry->second;
  }

  // Writes down that the project was mined and what is said of the path. What was said last holds: a wing by
  // configuration that is another one than before takes the place of the wing that was given.
  Status note_mined(const fs::path& start, const fs::path& project_root) {
    MinedFolders& folders = scopes_.folders;
    const MinedFolder* noted = folders.nearest(project_root.string());
    const bool is_noted = noted != nullptr && noted->path == project_root && noted->as == MinedAs::project;
    std::error_code error;
    // One file makes no project of all that is beside it.
    if (!is_noted && (fs::is_directory(start, error) || is_marked(project_root)))
      folders.note({.path = project_root.string(), .settings = noted_at(noted, project_root)});
    std::vector<MinedFolder> concerned = folders.below(start.string());
    if (const MinedFolder* project = folders.nearest(project_root.string())) concerned.push_back(*project);
    for (MinedFolder& folder : concerned) {
      if (folder.as != MinedAs::project || !is_file_or_folder(folder.path)) continue;
      const std::string wing = TRY(config_of(folder.path))->wing.value_or("");
      if (wing == folder.configured_wing) continue;
      if (!wing.empty()) folder.settings.wing.reset();
      folder.configured_wing = wing;
      folders.note(std::move(folder));
    }
    if (request_.settings.is_empty()) return {};
    const MinedFolder* nearest = folders.nearest(start.string());
    if (nearest == nullptr || nearest->path != start)
      folders.note({.path = start.string(), .as = MinedAs::part, .settings = said_of(start)});
    folders.say(start.string(), request_.settings);
    return {};
  }

  // What was said of the folder as a part of another project holds for it as one of its own, but for that one's wing.
  static MineSettings noted_at(const MinedFolder* noted, const fs::path& folder) {
    if (noted == nullptr) return {};
    MineSettings settings = noted->settings;
    if (noted->path != folder) settings.wing.reset();
    return settings;
  }

  MineSettings said_of(const fs::path& path) const {
    const MinedFolder* nearest = scopes_.folders.nearest(path.string());
    return nearest == nullptr ? MineSettings() : nearest->settings;
  }

  void note_kept() {
    scopes_.kept = said_of(scopes_.main.walk.start);
    if (request_.settings.wing) scopes_.kept.wing.reset();
    if (request_.settings.mode) scopes_.kept.mode.reset();
    if (request_.settings.chunk_characters) scopes_.kept.chunk_characters.reset();
  }

  Status read_include() {
    for (const std::string& line : request_.include) {
      std::optional<IgnorePattern> pattern = IgnorePattern::parse(from_root(line, request_.path, scopes_.main.walk));
      if (!pattern) return Error{ErrorKind::invalid_argument, "include has no pattern in " + line};
      include_.push_back(std::move(*pattern));
    }
    return {};
  }

  Status complete(MineScope& scope) {
    const std::string root = scope.walk.project_root.string();
    scope.config = *TRY(config_of(root));
    scope.walk.exclude = scope.config.exclude;
    scope.walk.max_file_bytes = request_.max_file_bytes;
    scope.walk.include = include_;
    scope.walk.include_root = scopes_.main.walk.project_root;
    const MineSettings said = said_of(scope.walk.start);
    scope.chunk_characters = said.chunk_characters.value_or(kUsualChunkCharacters);
    const std::string mode = said.mode.value_or(std::string(kUsualMode));
    scope.importer = find_importer(mode);
    if (scope.importer == nullptr) return Error{ErrorKind::invalid_argument, "there is no way to mine called " + mode};
    scope.wing = said.wing ? *said.wing : scope.config.wing.value_or("");
    if (scope.wing.empty()) scope.wing = place_name_from(scope.walk.project_root.filename().string());
    if (scope.wing.empty()) scope.wing = kDefaultWing;
    return {};
  }

  const Collection* const drawers_;
  const MineRequest& request_;
  MineScopes scopes_;
  std::vector<IgnorePattern> include_;
  std::map<std::string, ProjectConfig> configs_;  // by project root
};

}  // namespace

std::vector<const MineScope*> MineScopes::all() const {
  std::vector<const MineScope*> list = {&main};
  for (const MineScope& part : parts) list.push_back(&part);
  return list;
}

Result<MineScopes> resolve_scopes(const Collection* drawers, const MineRequest& request) {
  return Resolver(drawers, request).resolve_all();
}

Recipe recipe_of(const MineScope& scope) {
  std::string text;
  for (const std::string_view part : {scope.importer->mode, scope.importer->version, std::string_view(scope.wing),
                                      std::string_view(scope.config.text)}) {
    text += part;
    text += '\0';
  }
  text += std::to_string(scope.chunk_characters);
  return {.importer = *scope.importer,
          .context = {.project_root = scope.walk.project_root,
                      .wing = scope.wing,
                      .config = scope.config,
                      .chunks = {.target_characters = scope.chunk_characters},
                      .filed_at = {}},
          .hash = to_hex(sha256(text)).substr(0, kRecipeDigits)};
}

}  // namespace loci
