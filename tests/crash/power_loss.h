// A disk that loses its power. An SQLite file layer over the real one that remembers, for each file, what was synced
// and what was only written; at a chosen operation the power goes, and then any part of what was not synced may be on
// the disk: none of it, all of it, some writes without others, or single sectors of one write.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <random>
#include <span>
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

  // From now on files below the folder that are neither SQLite's nor written through files() count too: a program that
  // has power_loss_calls.cc in it sees the system calls that write, sync, link, rename or remove them.
  void watch(const std::filesystem::path& folder);

  // What the disk holds after the power is back of the files in `folder` and in its folder `index`, as files in
  // `target`. What was there before the disk knew of it is there.
  Status write_survivors(Survivors survivors, std::mt19937& random, const std::filesystem::path& folder,
                         const std::filesystem::path& target) const;
};

// What is to become of a system call.
enum class CallFate {
  real,   // it is made
  taken,  // the disk has done it
  gone,   // it fails: the power is gone
};
CallFate on_write(int file, std::int64_t offset, std::span<const std::uint8_t> bytes);
CallFate on_sync(int file);
CallFate on_link(const std::filesystem::path& from, const std::filesystem::path& to);
CallFate on_rename(const std::filesystem::path& from, const std::filesystem::path& to);
CallFate on_remove(const std::filesystem::path& path);

}  // namespace loci::crash
