// What a run of mining looks at, and by which rules the files become drawers: those of the folder that was named, and
// beside them those of each folder below it of which something else was said before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/file_walk.h"
#include "ingest/importer.h"
#include "ingest/mined_folder.h"
#include "ingest/project_config.h"
#include "loci/collection.h"
#include "loci/result.h"

namespace loci {

enum class MineRun { store, dry_run };      // dry_run: reads all that a run would read, and writes nothing
enum class Deleted { hold_back, restore };  // drawers that a user deleted

inline constexpr std::size_t kUsualChunkCharacters = 800;
inline constexpr std::string_view kUsualMode = "files";

struct MineRequest {
  std::filesystem::path path = {};        // a folder, or one file
  MineSettings settings = {};             // what is absent stays as it was said before
  std::vector<std::string> include = {};  // patterns as in .gitignore: taken whatever the rules say
  std::uint64_t max_file_bytes = kUsualFileBytes;
  Deleted deleted = Deleted::hold_back;
  MineRun run = MineRun::store;
  std::int64_t now_unix_ms = 0;
};

struct MineScope {
  WalkRequest walk;
  ProjectConfig config;
  std::string wing;
  const Importer* importer = nullptr;
  std::size_t chunk_characters = kUsualChunkCharacters;
};

struct MineScopes {
  MineScope main;                // of the path that was named
  std::vector<MineScope> parts;  // below it, with rules of their own; each is there
  MinedFolders folders;          // with what was said now
  MineSettings kept;             // of the path: what was said before, and not again now

  // All of them, the main one first.
  std::vector<const MineScope*> all() const;
};

// `drawers` is null for a palace that is not there yet. Errors: not_found and io for the path; invalid_argument for the
// request or a project's configuration; and those of the store.
Result<MineScopes> resolve_scopes(const Collection* drawers, const MineRequest& request);

// How the files of a scope become drawers.
struct Recipe {
  const Importer& importer;
  ImportContext context;
  std::string hash;  // of all that a drawer depends on besides its file; 16 hex digits
};
Recipe recipe_of(const MineScope& scope);

}  // namespace loci
