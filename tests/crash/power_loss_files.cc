// The disk of power_loss.h for files that are not SQLite's.
#include <memory>
#include <span>
#include <utility>

#include "base/file_layer.h"
#include "tests/crash/power_loss_state.h"

namespace loci::crash {
namespace {

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

}  // namespace

FileLayer& PowerLossDisk::files() {
  static TrackedFiles files;
  return files;
}

}  // namespace loci::crash
