// What a run of mining has to do: the files that are new or changed since they were stored, found by one stat each, and
// the sources whose files are no longer there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "ingest/file_walk.h"
#include "ingest/source_state.h"
#include "loci/collection.h"
#include "loci/result.h"

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

// Sources whose files are gone, by what their files were like: one of them may come back under another name.
class GoneSources {
 public:
  void add(std::string name, const SourceState& state);

  // The source that this file was, judged by its stamp or, without one that fits, by the hash of its bytes. Each is
  // given once.
  std::optional<std::string> take(const FileStamp& stamp, const std::string& content_hash);

  // Those that nobody took, by name.
  std::vector<std::string> rest() const;

 private:
  using Identity = std::tuple<std::uint64_t, std::uint64_t, std::int64_t>;  // inode, size, time of the last write
  std::map<std::string, bool> is_taken_;
  std::multimap<Identity, std::string> by_identity_;
  std::multimap<std::string, std::string> by_hash_;
};

struct FileToRead {
  FoundFile file;
  bool is_known = false;  // stored before, and changed since
};

struct MinePlan {
  std::vector<FileToRead> to_read;  // by name
  std::uint64_t bytes_to_read = 0;
  std::size_t files = 0;  // that are worth keeping
  std::size_t unchanged = 0;
  PassedOverList passed_over;
  GoneSources gone;
  std::vector<std::string> left_out;  // sources whose file is there and would not be taken today
};

// `drawers` is null for a palace that is not there yet. Errors: those of the walk and of the store.
Result<MinePlan> plan_mining(const Collection* drawers, const WalkRequest& request, const std::string& recipe,
                             const std::function<bool()>& is_cancelled);

}  // namespace loci
