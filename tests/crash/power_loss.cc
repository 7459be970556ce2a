#include "tests/crash/power_loss.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>

#include <sqlite3.h>

namespace loci::crash {
namespace {

constexpr std::size_t kSectorBytes = 512;

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

// The file layer is C, so its state is global; the mutex guards all of it.
struct DiskState {
  std::mutex mutex;
  bool has_failed = false;
  bool ignores_syncs = false;
  std::int64_t operations = 0;
  std::int64_t fail_at = 0;
  std::string watched;  // a folder with a slash at its end; empty: none
  std::map<std::string, FileState> files;
};
DiskState disk;

// System calls that a layer makes are not seen a second time.
thread_local int layers_entered = 0;
class InsideLayer {
 public:
  InsideLayer() { ++layers_entered; }
  InsideLayer(const InsideLayer&) = delete;
  InsideLayer& operator=(const InsideLayer&) = delete;
  ~InsideLayer() { --layers_entered; }
};

class DiskLock {
 public:
  DiskLock() : lock_(disk.mutex) {}

 private:
  const InsideLayer inside_;
  const std::lock_guard<std::mutex> lock_;
};

struct TrackedFile {
  sqlite3_file base;  // first: SQLite sees this
  FileState* state;   // null for nameless temporary files
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

TrackedFile* tracked(sqlite3_file* file) { return reinterpret_cast<TrackedFile*>(file); }
sqlite3_vfs* real_vfs() { return static_cast<sqlite3_vfs*>(sqlite3_vfs_find("unix")); }

// Counts one operation; false: the power is gone.
bool power_is_on() {
  if (disk.has_failed) return false;
  ++disk.operations;
  if (disk.fail_at != 0 && disk.operations == disk.fail_at) disk.has_failed = true;
  return !disk.has_failed;
}

void apply(const Mutation& mutation, std::vector<std::uint8_t>& content) {
  if (mutation.truncated_to) {
    content.resize(static_cast<std::size_t>(*mutation.truncated_to));
    return;
  }
  const auto offset = static_cast<std::size_t>(mutation.offset);
  if (content.size() < offset + mutation.bytes.size()) content.resize(offset + mutation.bytes.size());
  std::copy(mutation.bytes.begin(), mutation.bytes.end(), content.begin() + mutation.offset);
}

// A file that the disk does not know yet has been there before, unless it is empty.
FileState& state_of(const std::string& name) {
  const auto [found, is_new] = disk.files.try_emplace(name);
  FileState& state = found->second;
  if (!is_new) return state;
  std::ifstream there(name, std::ios::binary);
  state.synced.assign(std::istreambuf_iterator<char>(there), {});
  state.was_synced = !state.synced.empty();
  return state;
}

void apply_unsynced(FileState& state) {
  for (const Mutation& mutation : state.unsynced) apply(mutation, state.synced);
  state.unsynced.clear();
}

void sync_names(const std::filesystem::path& folder) {
  for (auto& [name, state] : disk.files) {
    if (std::filesystem::path(name).parent_path() != folder) continue;
    state.was_synced = state.was_synced || !state.was_removed;
    state.removal_is_synced = state.was_removed;
  }
}

// The file has the new name; the folder's next sync makes that durable.
void give_name(const std::string& from, const std::string& to) {
  const FileState named = state_of(from);
  FileState& state = disk.files[to] = named;
  state.was_synced = false;
  state.was_removed = false;
}

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

Error power_is_gone() { return {ErrorKind::io, "the power is gone"}; }

class TrackedNewFile : public NewFile {
 public:
  TrackedNewFile(std::unique_ptr<NewFile> file, FileState* state) : file_(std::move(file)), state_(state) {}

  Status write_at(std::size_t offset, std::span<const std::uint8_t> bytes) override {
    const DiskLock lock;
    const bool had_failed = disk.has_failed;
    const bool is_on = power_is_on();
    if (!had_failed) state_->unsynced.push_back({static_cast<std::int64_t>(offset), {bytes.begin(), bytes.end()}, {}});
    return is_on ? file_->write_at(offset, bytes) : power_is_gone();
  }
  Status sync() override {
    const DiskLock lock;
    if (!power_is_on()) return power_is_gone();
    if (disk.ignores_syncs) return {};
    apply_unsynced(*state_);
    return {};
  }

 private:
  const std::unique_ptr<NewFile> file_;
  FileState* const state_;
};

// The content of a file survives by its own sync, its name by that of the folder.
class TrackedFiles : public FileLayer {
 public:
  Result<std::unique_ptr<NewFile>> create(const std::filesystem::path& path) override {
    const DiskLock lock;
    if (!power_is_on()) return power_is_gone();
    std::unique_ptr<NewFile> file = TRY(system_files().create(path));
    FileState& state = disk.files[path.native()];
    state = {};
    return std::unique_ptr<NewFile>(std::make_unique<TrackedNewFile>(std::move(file), &state));
  }
  Status rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
    const DiskLock lock;
    if (!power_is_on()) return power_is_gone();
    TRY(system_files().rename(from, to));
    give_name(from, to);
    disk.files[from.native()].was_removed = true;
    return {};
  }
  Status remove(const std::filesystem::path& path) override {
    const DiskLock lock;
    if (!power_is_on()) return power_is_gone();
    disk.files[path.native()].was_removed = true;
    return system_files().remove(path);
  }
  Status sync_folder(const std::filesystem::path& folder) override {
    const DiskLock lock;
    if (!power_is_on()) return power_is_gone();
    if (disk.ignores_syncs) return {};
    sync_names(folder);
    return {};
  }
  Status make_folder(const std::filesystem::path& folder) override { return system_files().make_folder(folder); }
};

// A name that was never synced, or whose removal was not, may or may not be on the disk.
bool may_be_there(const FileState& state, Survivors survivors, std::mt19937& random) {
  if (survivors == Survivors::none) return state.was_synced;
  if (survivors == Survivors::all) return !state.was_removed;
  return (state.was_synced && !state.was_removed) || random() % 2 == 0;
}

std::vector<std::uint8_t> survivors_of(const FileState& state, Survivors survivors, std::mt19937& random) {
  std::vector<std::uint8_t> content = state.synced;
  const auto coin = [&] { return random() % 2 == 0; };
  for (const Mutation& mutation : state.unsynced) {
    switch (survivors) {
      case Survivors::none: break;
      case Survivors::all: apply(mutation, content); break;
      case Survivors::some:
        if (coin()) apply(mutation, content);
        break;
      case Survivors::sectors:
        if (mutation.truncated_to) {
          if (coin()) apply(mutation, content);
          break;
        }
        for (std::size_t at = 0; at < mutation.bytes.size();) {
          const std::size_t to_boundary =
              kSectorBytes - (static_cast<std::size_t>(mutation.offset) + at) % kSectorBytes;
          const std::size_t size = std::min(to_boundary, mutation.bytes.size() - at);
          const auto from = mutation.bytes.begin() + static_cast<std::ptrdiff_t>(at);
          if (coin())
            apply(
                {mutation.offset + static_cast<std::int64_t>(at), {from, from + static_cast<std::ptrdiff_t>(size)}, {}},
                content);
          at += size;
        }
        break;
    }
  }
  return content;
}

}  // namespace

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

FileLayer& PowerLossDisk::files() {
  static TrackedFiles files;
  return files;
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
  if (layers_entered > 0) return CallFate::real;
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
  if (layers_entered > 0) return CallFate::real;
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
  if (layers_entered > 0) return CallFate::real;
  const DiskLock lock;
  if (!is_watched(to)) return CallFate::real;
  if (!power_is_on()) return CallFate::gone;
  if (!std::filesystem::exists(to)) give_name(from, to);
  return CallFate::real;
}

CallFate on_rename(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (layers_entered > 0) return CallFate::real;
  const DiskLock lock;
  if (!is_watched(to)) return CallFate::real;
  if (!power_is_on()) return CallFate::gone;
  give_name(from, to);
  disk.files[from.native()].was_removed = true;
  return CallFate::real;
}

CallFate on_remove(const std::filesystem::path& path) {
  if (layers_entered > 0) return CallFate::real;
  const DiskLock lock;
  const auto known = disk.files.find(path.native());
  if (!is_watched(path) || known == disk.files.end()) return CallFate::real;
  if (!power_is_on()) return CallFate::gone;
  known->second.was_removed = true;
  return CallFate::real;
}

}  // namespace loci::crash
