#include "base/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

namespace loci {
namespace {

namespace fs = std::filesystem;

// With system calls alone: std::filesystem::remove_all() ends the program when there is no memory, and a destructor has
// nobody to tell. A folder without write permission keeps its entries, so each is given back to us first.
void remove_tree(int parent, const char* name) {
  if (::unlinkat(parent, name, 0) == 0 || (errno != EISDIR && errno != EPERM)) return;
  ::fchmodat(parent, name, S_IRWXU, 0);
  const int folder = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  DIR* const entries = ::fdopendir(folder);
  if (entries == nullptr) {
    ::close(folder);
    return;
  }
  while (const dirent* entry = ::readdir(entries)) {
    const std::string_view entry_name = entry->d_name;
    if (entry_name != "." && entry_name != "..") remove_tree(folder, entry->d_name);
  }
  ::closedir(entries);
  ::unlinkat(parent, name, AT_REMOVEDIR);
}

void remove_folder(const fs::path& path) {
  if (!path.empty()) remove_tree(AT_FDCWD, path.c_str());
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
