#include "tests/crash/power_loss.h"

#include <fstream>
#include <system_error>

#include <sqlite3.h>

#include "tests/crash/power_loss_state.h"

namespace loci::crash {

PowerLossDisk::PowerLossDisk(Syncs syncs) {
  sqlite3_initialize();
  const DiskLock lock;
  disk.has_failed = false;
  disk.ignores_syncs = syncs == Syncs::ignored;
  disk.operations = 0;
  disk.fail_at = 0;
  disk.watched.clear();
  disk.files.clear();
  sqlite3_vfs_register(power_loss_vfs(), 1);
}

PowerLossDisk::~PowerLossDisk() {
  watch({});
  sqlite3_vfs_unregister(power_loss_vfs());
  sqlite3_vfs_register(real_vfs(), 1);
}

void PowerLossDisk::fail_at(std::int64_t operation) {
  const DiskLock lock;
  disk.fail_at = operation == 0 ? 0 : disk.operations + operation;
}

void PowerLossDisk::watch(const std::filesystem::path& folder) {
  const DiskLock lock;
  disk.watched = folder.empty() ? std::string() : folder.native() + '/';
}

bool PowerLossDisk::has_failed() const {
  const DiskLock lock;
  return disk.has_failed;
}

std::int64_t PowerLossDisk::operations() const {
  const DiskLock lock;
  return disk.operations;
}

Status PowerLossDisk::write_survivors(Survivors survivors, std::mt19937& random, const std::filesystem::path& folder,
                                      const std::filesystem::path& target) const {
  const DiskLock lock;
  std::filesystem::create_directories(target);
  for (const auto& [name, state] : disk.files) {
    const std::filesystem::path path(name);
    const bool is_in_index = path.parent_path() == folder / "index";
    if (!is_in_index && path.parent_path() != folder) continue;
    if (state.was_removed && state.removal_is_synced) continue;
    if (!may_be_there(state, survivors, random)) continue;
    const std::vector<std::uint8_t> content = survivors_of(state, survivors, random);
    const std::filesystem::path into = is_in_index ? target / "index" : target;
    std::filesystem::create_directories(into);
    std::ofstream file(into / path.filename(), std::ios::binary);
    file.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
    if (!file.good()) return Error{ErrorKind::io, "cannot write the survivors of " + name};
  }
  return {};
}

namespace {

bool is_watched(const std::filesystem::path& path) {
  return !disk.watched.empty() && path.native().starts_with(disk.watched);
}

// The name of an open file or folder; the watched folder itself is below what is watched too.
std::filesystem::path name_of(int file) {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file), ignored);
}

}  // namespace

CallFate on_write(int file, std::int64_t offset, std::span<const std::uint8_t> bytes) {
  if (InsideLayer::is_entered()) return CallFate::real;
  const DiskLock lock;
  const std::filesystem::path path = name_of(file);
  if (!is_watched(path)) return CallFate::real;
  FileState& state = state_of(path);
  const bool had_failed = disk.has_failed;
  const bool is_on = power_is_on();
  if (!had_failed) state.unsynced.push_back({offset, {bytes.begin(), bytes.end()}, {}});
  return is_on ? CallFate::real : CallFate::gone;
}

CallFate on_sync(int file) {
  if (InsideLayer::is_entered()) return CallFate::real;
  const DiskLock lock;
  const std::filesystem::path path = name_of(file);
  if (!is_watched(path / "")) return CallFate::real;
  if (!power_is_on()) return CallFate::gone;
  if (disk.ignores_syncs) return CallFate::taken;
  if (std::filesystem::is_directory(path)) {
    sync_names(path);
  } else {
    apply_unsynced(state_of(path));
  }
  return CallFate::taken;
}

CallFate on_link(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (InsideLayer::is_entered()) return CallFate::real;
  const DiskLock lock;
  if (!is_watched(to)) return CallFate::real;
  if (!power_is_on()) return CallFate::gone;
  if (!std::filesystem::exists(to)) give_name(from, to);
  return CallFate::real;
}

CallFate on_rename(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (InsideLayer::is_entered()) return CallFate::real;
  const DiskLock lock;
  if (!is_watched(to)) return CallFate::real;
  if (!power_is_on()) return CallFate::gone;
  give_name(from, to);
  disk.files[from.native()].was_removed = true;
  return CallFate::real;
}

CallFate on_remove(const std::filesystem::path& path) {
  if (InsideLayer::is_entered()) return CallFate::real;
  const DiskLock lock;
  const auto known = disk.files.find(path.native());
  if (!is_watched(path) || known == disk.files.end()) return CallFate::real;
  if (!power_is_on()) return CallFate::gone;
  known->second.was_removed = true;
  return CallFate::real;
}

}  // namespace loci::crash
