// Mining: takes the files of a folder into a palace, word for word, and costs next to nothing when run again.
//
// One thread reads, decodes, cuts and hashes; the caller's thread writes, some megabytes a transaction. Stopped at any
// moment, everything that was committed is whole, and the next run goes on where this one was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ingest/mine_plan.h"
#include "ingest/project_config.h"
#include "loci/collection.h"
#include "loci/result.h"

namespace loci {

enum class MineRun { store, dry_run };  // dry_run: reads all that a run would read, and writes nothing

struct MineRequest {
  std::filesystem::path path = {};        // a folder, or one file
  std::optional<std::string> wing = {};   // absent: what the project's configuration says, else its root's name
  std::vector<std::string> include = {};  // patterns as in .gitignore: taken whatever the rules say
  std::uint64_t max_file_bytes = kUsualFileBytes;
  std::size_t chunk_characters = 800;
  std::string mode = "files";
  Deleted deleted = Deleted::hold_back;
  MineRun run = MineRun::store;
  std::int64_t now_unix_ms = 0;
};

struct MineProgress {
  std::uint64_t bytes = 0;  // of those that are to be read
  std::uint64_t bytes_in_all = 0;
  std::size_t files = 0;
  std::size_t drawers = 0;
};
// Called from the thread that mines.
struct MineObserver {
  std::function<void(const MineProgress&)> progress;
  std::function<bool()> is_cancelled;
};

struct RoomCount {
  std::size_t stored = 0;   // by this run
  std::size_t drawers = 0;  // that the room has now
};

// Something that a person should know of a file that was taken.
struct FileNote {
  std::string path;
  std::size_t count = 0;
};

struct MineReport {
  std::filesystem::path root;  // resolved
  std::string wing;
  std::size_t files = 0;  // worth keeping, of which the next four are parts
  std::size_t unchanged = 0;
  std::size_t added = 0;
  std::size_t changed = 0;
  std::size_t renamed = 0;
  std::uint64_t bytes = 0;  // read
  SourceReport drawers = {};
  std::map<std::pair<std::string, std::string>, RoomCount> rooms = {};  // by wing and room
  PassedOverList passed_over = {};
  std::vector<FileNote> nuls = {};     // files in whose drawers U+FFFD stands for so many NUL characters
  std::vector<FileNote> emptied = {};  // files that were taken before and have no text now, with the drawers removed
  std::vector<std::string> unmatched = {};  // of `include` what matched nothing
  std::vector<std::string> gone = {};       // sources whose file is no longer there; sync removes them
  std::vector<std::string> left_out = {};   // sources whose file would not be taken today; sync removes them
};

// `drawers` may be null for a dry run. Errors: not_found and io for the path; invalid_argument for the request or the
// project's configuration; unavailable when cancelled; and those of the store.
Result<MineReport> mine(Collection* drawers, const MineRequest& request, const MineObserver& observer);

// What mining would look at for this request, resolved.
struct MineScope {
  WalkRequest walk;
  ProjectConfig config;
  std::string wing;
};
Result<MineScope> resolve_scope(const MineRequest& request);

}  // namespace loci
