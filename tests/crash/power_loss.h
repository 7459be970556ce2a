// A disk that loses its power. An SQLite file layer over the real one that remembers, for each file, what was synced
// and what was only written; at a chosen operation the power goes, and then any part of what was not synced may be on
// the disk: none of it, all of it, some writes without others, or single sectors of one write.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/file_layer.h"
#include "loci/result.h"

namespace loci::crash {

enum class Survivors {
  none,     // nothing that was not synced
  all,      // everything that was written
  some,     // each write with even odds: writes are reordered
  sectors,  // each sector of each write with even odds: writes are torn
};

enum class Syncs {
  honest,
  ignored,  // a sync does nothing, as with synchronous=OFF: the harness must then find lost writes
};

// One at a time: it is the process's default file layer while it lives, for connections opened meanwhile.
class PowerLossDisk {
 public:
  explicit PowerLossDisk(Syncs syncs = Syncs::honest);
  PowerLossDisk(const PowerLossDisk&) = delete;
  PowerLossDisk& operator=(const PowerLossDisk&) = delete;
  ~PowerLossDisk();

  // The power goes at the n-th write, truncation, sync or removal from now on (1: the next one): it fails, and so does
  // everything after it. 0: never.
  void fail_at(std::int64_t operation);
  bool has_failed() const;
  std::int64_t operations() const;

  // The same disk for files that are not SQLite's. Lives as long as the process.
  static FileLayer& files();

  // What the disk holds after the power is back, as files in `target`, by their names; those of a folder
  // `index` in such a folder.
  Status write_survivors(Survivors survivors, std::mt19937& random, const std::filesystem::path& target) const;
};

}  // namespace loci::crash
