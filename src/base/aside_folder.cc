#include "base/aside_folder.h"

#include <string>
#include <string_view>
#include <system_error>

namespace loci {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = ".loci-aside-";
constexpr std::string_view kLockName = "in-use";
constexpr int kAttempts = 10;

// Removes the folder unless its process is alive. An empty one belongs to a process that was killed, or that is about
// to put its lock there and will make another one.
void remove_if_abandoned(const fs::path& folder) {
  std::error_code ignored;
  if (fs::remove(folder, ignored)) return;  // only an empty folder
  if (!fs::exists(folder / kLockName, ignored)) return;
  Result<LockFile> lock = LockFile::open(folder / kLockName);
  if (lock.ok() && lock->try_lock(0)) fs::remove_all(folder, ignored);
}

void remove_abandoned(const fs::path& parent) {
  std::error_code error;
  for (auto entry = fs::directory_iterator(parent, fs::directory_options::skip_permission_denied, error);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (entry->path().filename().string().starts_with(kPrefix) && entry->is_directory(ignored) &&
        !entry->is_symlink(ignored))
      remove_if_abandoned(entry->path());
  }
}

}  // namespace

Result<AsideFolder> AsideFolder::create_in(const fs::path& parent) {
  remove_abandoned(parent);
  for (int attempt = 1;; ++attempt) {
    TemporaryFolder folder = TRY(TemporaryFolder::create_in(parent, kPrefix));
    Result<LockFile> lock = LockFile::open(folder.path() / kLockName);
    if (lock.ok() && lock->try_lock(0)) return AsideFolder(std::move(folder), std::move(*lock));
    if (attempt == kAttempts) {
      if (!lock.ok()) return lock.error();
      return Error{ErrorKind::busy, "cannot work in " + parent.string() + "; try again"};
    }
  }
}

}  // namespace loci
