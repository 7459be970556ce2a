// What a run of mining has to do: the files that are new or changed since they were stored, found by one stat each, and
// the sources whose files are no longer there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "ingest/file_walk.h"
#include "ingest/mine_scope.h"
#include "ingest/source_state.h"
#include "loci/collection.h"
#include "loci/result.h"
#include "loci/source.h"

namespace loci {

// What was passed over: all of it counted, the first of each reason by name. For one thread.
class PassedOverList {
 public:
  static constexpr std::size_t kNamedOfEach = 100;

  struct Group {
    std::size_t count = 0;
    std::vector<PassedOver> named;
  };

  void add(PassedOver item);
  const std::map<PassReason, Group>& groups() const { return groups_; }
  std::size_t count(PassReason reason) const;

 private:
  std::map<PassReason, Group> groups_;
};

// Sources whose files are gone, by what their files were like: one of them may come back under another name. For one
// thread at a time.
class GoneSources {
 public:
  // Below what is mined, or elsewhere in the palace. Away: elsewhere, and its folder is missing or empty, so that it
  // may be on a disk that is not there.
  enum class Place { mined, elsewhere, away };

  void add(std::string name, const SourceState& state, Place place);

  // The source that this file was, judged by its stamp or, without one that fits, by the hash of its bytes, unless it
  // is away: many projects have the same files. Each is given once.
  std::optional<std::string> take(const FileStamp& stamp, const std::string& content_hash);

  // The source below what is mined of which at least half is in these records: its file was renamed and edited. Errors:
  // those of the store, which is asked once.
  Result<std::optional<std::string>> take_alike(const Collection* drawers, const std::vector<SourceRecord>& records);

  // Those below what is mined that nobody took, by name.
  std::vector<std::string> rest() const;

 private:
  struct Source {
    Place place = Place::mined;
    bool is_taken = false;
    std::size_t records = 0;  // that the store has of it, once it was asked
  };
  using Identity = std::tuple<std::uint64_t, std::uint64_t, std::int64_t>;  // inode, size, time of the last write

  Status load_records(const Collection* drawers);

  std::map<std::string, Source> sources_;
  std::multimap<Identity, std::string> by_identity_;
  std::multimap<std::string, std::string> by_hash_;
  std::optional<std::multimap<std::string, std::string>> by_record_hash_;  // nothing until the store was asked
};

struct FileToRead {
  FoundFile file;
  std::size_t scope = 0;                   // by its number
  bool is_known = false;                   // stored before, and to be looked at anew
  std::string hash_before = {};            // of the bytes of a known one
  std::optional<SourceState> before = {};  // of a known one of which a user deleted drawers
};

struct MinePlan {
  std::vector<FileToRead> to_read;  // by scope and name
  std::uint64_t bytes_to_read = 0;
  std::size_t files = 0;  // that are worth keeping
  std::size_t unchanged = 0;
  PassedOverList passed_over;
  std::vector<std::size_t> unmatched;  // patterns of `include`, by their number, that matched nothing
  GoneSources gone;
  std::vector<std::string> left_out;  // sources whose file is there and would not be taken today, nor was asked for
  std::size_t unjudged = 0;           // sources at places that could not be read: nobody knows what became of them
};

// `drawers` is null for a palace that is not there yet; there is a recipe for each of the scopes. Where deleted drawers
// are to be restored, their files are read though they did not change. Errors: those of the walk and of the store.
Result<MinePlan> plan_mining(const Collection* drawers, const MineScopes& scopes, std::span<const Recipe> recipes,
                             Deleted deleted, const std::function<bool()>& is_cancelled);

// Adds to the plan's gone sources those that are elsewhere in the palace and may have been one of its new files: a file
// may be moved out of what was mined. Errors: those of the store.
Status look_for_moved_files(const Collection* drawers, MinePlan& plan);

}  // namespace loci
