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
#include <string>
#include <utility>
#include <vector>

#include "ingest/mine_plan.h"
#include "ingest/mine_scope.h"
#include "loci/collection.h"
#include "loci/result.h"

namespace loci {

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

// A part of what was mined that keeps what was said of it before, where that differs from the rest.
struct KeptPart {
  std::string path;
  std::string wing;
  std::string mode;
  std::size_t chunk_characters = 0;
};

struct MineReport {
  std::filesystem::path root;          // resolved
  std::filesystem::path project_root;  // the root itself, or a folder above it
  std::string wing;                    // of the root, as the next two
  std::string mode;
  std::size_t chunk_characters = 0;
  MineSettings kept = {};  // what was said of the root before, and not again now
  std::vector<KeptPart> kept_parts = {};
  std::size_t files = 0;      // worth keeping, of which the next four are parts
  std::size_t unchanged = 0;  // by their stamp, or by their bytes when those had to be read
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

// `drawers` may be null for a dry run. The scopes are those of the request. Errors: not_found and io for the path;
// unavailable when cancelled; and those of the store.
Result<MineReport> mine(Collection* drawers, const MineRequest& request, const MineScopes& scopes,
                        const MineObserver& observer);
// Finds out the scopes itself, with their errors.
Result<MineReport> mine(Collection* drawers, const MineRequest& request, const MineObserver& observer);

}  // namespace loci
