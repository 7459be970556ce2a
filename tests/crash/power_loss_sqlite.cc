// The disk of power_loss.h as SQLite's file layer.
#include <sqlite3.h>

#include "tests/crash/power_loss_state.h"

namespace loci::crash {
namespace {

struct TrackedFile {
  sqlite3_file base;  // first: SQLite sees this
  FileState* state;   // null for nameless temporary files
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

TrackedFile* tracked(sqlite3_file* file) { return reinterpret_cast<TrackedFile*>(file); }

int close_file(sqlite3_file* file) { return tracked(file)->real()->pMethods->xClose(tracked(file)->real()); }

int read_file(sqlite3_file* file, void* into, int size, sqlite3_int64 offset) {
  return tracked(file)->real()->pMethods->xRead(tracked(file)->real(), into, size, offset);
}

int write_file(sqlite3_file* file, const void* from, int size, sqlite3_int64 offset) {
  const DiskLock lock;
  const auto* bytes = static_cast<const std::uint8_t*>(from);
  const bool had_failed = disk.has_failed;
  const bool is_on = power_is_on();
  // The write during which the power goes may be on the disk in part.
  if (!had_failed && tracked(file)->state != nullptr)
    tracked(file)->state->unsynced.push_back({offset, {bytes, bytes + size}, {}});
  if (!is_on) return SQLITE_IOERR_WRITE;
  return tracked(file)->real()->pMethods->xWrite(tracked(file)->real(), from, size, offset);
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  const DiskLock lock;
  const bool had_failed = disk.has_failed;
  const bool is_on = power_is_on();
  if (!had_failed && tracked(file)->state != nullptr) tracked(file)->state->unsynced.push_back({0, {}, size});
  if (!is_on) return SQLITE_IOERR_TRUNCATE;
  return tracked(file)->real()->pMethods->xTruncate(tracked(file)->real(), size);
}

int sync_file(sqlite3_file* file, int) {
  const DiskLock lock;
  if (!power_is_on()) return SQLITE_IOERR_FSYNC;
  FileState* state = tracked(file)->state;
  if (state == nullptr || disk.ignores_syncs) return SQLITE_OK;
  apply_unsynced(*state);
  state->was_synced = true;
  return SQLITE_OK;
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
  return tracked(file)->real()->pMethods->xFileSize(tracked(file)->real(), size);
}
int lock_file(sqlite3_file* file, int level) {
  return tracked(file)->real()->pMethods->xLock(tracked(file)->real(), level);
}
int unlock_file(sqlite3_file* file, int level) {
  return tracked(file)->real()->pMethods->xUnlock(tracked(file)->real(), level);
}
int check_lock(sqlite3_file* file, int* out) {
  return tracked(file)->real()->pMethods->xCheckReservedLock(tracked(file)->real(), out);
}
int control_file(sqlite3_file* file, int op, void* argument) {
  const InsideLayer inside;
  return tracked(file)->real()->pMethods->xFileControl(tracked(file)->real(), op, argument);
}
int sector_size(sqlite3_file* file) { return tracked(file)->real()->pMethods->xSectorSize(tracked(file)->real()); }
int characteristics(sqlite3_file* file) {
  return tracked(file)->real()->pMethods->xDeviceCharacteristics(tracked(file)->real());
}
int map_shared(sqlite3_file* file, int page, int size, int extend, void volatile** out) {
  const InsideLayer inside;
  return tracked(file)->real()->pMethods->xShmMap(tracked(file)->real(), page, size, extend, out);
}
int lock_shared(sqlite3_file* file, int offset, int n, int flags) {
  return tracked(file)->real()->pMethods->xShmLock(tracked(file)->real(), offset, n, flags);
}
void barrier(sqlite3_file* file) { tracked(file)->real()->pMethods->xShmBarrier(tracked(file)->real()); }
int unmap_shared(sqlite3_file* file, int remove) {
  const InsideLayer inside;
  return tracked(file)->real()->pMethods->xShmUnmap(tracked(file)->real(), remove);
}

// Version 2: shared memory, but no memory-mapped reads, which would pass the file layer by.
const sqlite3_io_methods kMethods = {
    2,           close_file,  read_file,    write_file,   truncate_file, sync_file,       file_size,
    lock_file,   unlock_file, check_lock,   control_file, sector_size,   characteristics, map_shared,
    lock_shared, barrier,     unmap_shared, nullptr,      nullptr};

int open_file(sqlite3_vfs*, sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) {
  TrackedFile* opened = tracked(file);
  opened->base.pMethods = nullptr;
  opened->state = nullptr;
  if (name != nullptr) {
    const DiskLock lock;
    FileState& state = state_of(name);
    if (state.was_removed) state = {};
    opened->state = &state;
  }
  const InsideLayer inside;
  const int code = real_vfs()->xOpen(real_vfs(), name, opened->real(), flags, out_flags);
  if (code != SQLITE_OK) return code;
  opened->base.pMethods = &kMethods;
  return SQLITE_OK;
}

int remove_file(sqlite3_vfs*, const char* name, int sync_folder) {
  const DiskLock lock;
  if (!power_is_on()) return SQLITE_IOERR_DELETE;
  const int code = real_vfs()->xDelete(real_vfs(), name, sync_folder);
  if (code == SQLITE_OK) {
    disk.files[name].was_removed = true;
    disk.files[name].removal_is_synced = sync_folder != 0 && !disk.ignores_syncs;
  }
  return code;
}

int access_file(sqlite3_vfs*, const char* name, int flags, int* out) {
  return real_vfs()->xAccess(real_vfs(), name, flags, out);
}
int full_path(sqlite3_vfs*, const char* name, int size, char* out) {
  return real_vfs()->xFullPathname(real_vfs(), name, size, out);
}
int randomness(sqlite3_vfs*, int size, char* out) { return real_vfs()->xRandomness(real_vfs(), size, out); }
int sleep(sqlite3_vfs*, int microseconds) { return real_vfs()->xSleep(real_vfs(), microseconds); }
int current_time(sqlite3_vfs*, double* out) { return real_vfs()->xCurrentTime(real_vfs(), out); }
int last_error(sqlite3_vfs*, int, char*) { return 0; }
int current_time_64(sqlite3_vfs*, sqlite3_int64* out) { return real_vfs()->xCurrentTimeInt64(real_vfs(), out); }

}  // namespace

sqlite3_vfs* real_vfs() { return static_cast<sqlite3_vfs*>(sqlite3_vfs_find("unix")); }

sqlite3_vfs* power_loss_vfs() {
  static sqlite3_vfs vfs = [] {
    sqlite3_vfs made{};
    made.iVersion = 2;
    made.szOsFile = static_cast<int>(sizeof(TrackedFile)) + real_vfs()->szOsFile;
    made.mxPathname = real_vfs()->mxPathname;
    made.zName = "power-loss";
    made.xOpen = open_file;
    made.xDelete = remove_file;
    made.xAccess = access_file;
    made.xFullPathname = full_path;
    made.xRandomness = randomness;
    made.xSleep = sleep;
    made.xCurrentTime = current_time;
    made.xGetLastError = last_error;
    made.xCurrentTimeInt64 = current_time_64;
    return made;
  }();
  return &vfs;
}

}  // namespace loci::crash
