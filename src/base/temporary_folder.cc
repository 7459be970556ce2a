#include "base/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>

#include "base/file.h"

namespace loci {
namespace {

namespace fs = std::filesystem;

void remove_folder(const fs::path& path) {
  if (path.empty()) return;
  std::error_code error;
  fs::remove_all(path, error);
  if (!error) return;
  // A folder without write permission keeps its entries: give it back to us and try once more.
  fs::permissions(path, fs::perms::owner_all, error);
  for (auto entry = fs::recursive_directory_iterator(path, fs::directory_options::skip_permission_denied, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_directory(ignored) && !entry->is_symlink(ignored)) {
      fs::permissions(entry->path(), fs::perms::owner_all, ignored);
    }
  }
  fs::remove_all(path, error);
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::create() {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  if (error) return Error{ErrorKind::io, "there is no folder for temporary files; set TMPDIR to one"};
  return create_in(parent);
}

Result<TemporaryFolder> TemporaryFolder::create_in(const fs::path& parent, std::string_view prefix) {
  std::string pattern = (parent / std::string(prefix).append("XXXXXX")).native();
  if (::mkdtemp(pattern.data()) == nullptr) return io_error("cannot make a temporary folder in", parent, errno);
  return TemporaryFolder(fs::path(pattern));
}

TemporaryFolder::TemporaryFolder() {
  Result<TemporaryFolder> folder = create();
  if (!folder.ok()) throw std::runtime_error(folder.error().message);
  path_ = std::exchange(folder->path_, {});
}

TemporaryFolder::~TemporaryFolder() { remove_folder(path_); }

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
  if (this != &other) {
    remove_folder(path_);
    path_ = std::exchange(other.path_, {});
  }
  return *this;
}

}  // namespace loci
