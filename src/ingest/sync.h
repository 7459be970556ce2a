// Sync: removes the drawers of files that are gone, or that the rules leave out by now. Nothing else deletes them,
// since a file that is not there may be on a disk that is not there.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "ingest/mine.h"
#include "loci/collection.h"
#include "loci/result.h"

namespace loci {

enum class SyncRun { apply, dry_run };
enum class MissingRoot { ask, accept };  // accept: folders that are gone or empty are meant to be

// A folder that is gone or empty though sources came from it.
struct MissingFolder {
  std::string path;
  std::size_t sources = 0;
};

struct SyncRequest {
  std::filesystem::path path = {};  // the scope: sources at or below it
  std::vector<std::string> include = {};
  std::uint64_t max_file_bytes = MineRequest{}.max_file_bytes;
  SyncRun run = SyncRun::dry_run;
  MissingRoot missing_root = MissingRoot::ask;
};

struct SyncReport {
  std::filesystem::path root;
  // Those at or below the root of which nobody said that they should be: nothing of theirs was removed.
  std::vector<MissingFolder> missing_folders;
  bool root_is_missing = false;    // the root is one of them
  std::size_t kept = 0;            // sources
  std::size_t unjudged = 0;        // of them, those at places that could not be read
  std::vector<PassedOver> unread;  // these places, the first of them
  std::vector<std::string> gone;
  std::vector<std::string> left_out;
  std::size_t removed_drawers = 0;  // 0 for a dry run
};

Result<SyncReport> sync_sources(Collection& drawers, const SyncRequest& request,
                                const std::function<bool()>& is_cancelled);

}  // namespace loci
