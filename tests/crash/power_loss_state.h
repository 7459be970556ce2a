// What the disk of power_loss.h knows: of each file what was synced and what was only written. SQLite's file layer, our
// own and the calls that are watched all tell it what they do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <sqlite3.h>

#include "tests/crash/power_loss.h"

namespace loci::crash {

struct Mutation {
  std::int64_t offset = 0;
  std::vector<std::uint8_t> bytes;
  std::optional<std::int64_t> truncated_to;
};

// What is known of one file name.
struct FileState {
  std::vector<std::uint8_t> synced;
  bool was_synced = false;  // its name is on the disk
  bool was_removed = false;
  bool removal_is_synced = false;
  std::vector<Mutation> unsynced;
};

// SQLite's file layer is C, so its state is global; the mutex guards all of it.
struct DiskState {
  std::mutex mutex;
  bool has_failed = false;
  bool ignores_syncs = false;
  std::int64_t operations = 0;
  std::int64_t fail_at = 0;
  std::string watched;  // a folder with a slash at its end; empty: none
  std::map<std::string, FileState> files;
};
extern DiskState disk;

// System calls that a layer makes while it has one of these are not seen a second time.
class InsideLayer {
 public:
  InsideLayer();
  InsideLayer(const InsideLayer&) = delete;
  InsideLayer& operator=(const InsideLayer&) = delete;
  ~InsideLayer();

  // Is this thread inside of one?
  static bool is_entered();
};

class DiskLock {
 public:
  DiskLock() : lock_(disk.mutex) {}

 private:
  const InsideLayer inside_;
  const std::lock_guard<std::mutex> lock_;
};

// SQLite's file layer over this disk, and the one below it.
sqlite3_vfs* power_loss_vfs();
sqlite3_vfs* real_vfs();

// What follows needs a DiskLock.

// Counts one operation; false: the power is gone.
bool power_is_on();

// A file that the disk does not know yet has been there before, unless it is empty.
FileState& state_of(const std::string& name);

void apply_unsynced(FileState& state);
void sync_names(const std::filesystem::path& folder);

// The file has the new name; the folder's next sync makes that durable.
void give_name(const std::string& from, const std::string& to);

// A name that was never synced, or whose removal was not, may or may not be on the disk.
bool may_be_there(const FileState& state, Survivors survivors, std::mt19937& random);
std::vector<std::uint8_t> survivors_of(const FileState& state, Survivors survivors, std::mt19937& random);

}  // namespace loci::crash
