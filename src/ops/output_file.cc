#include "ops/output_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace loci {
namespace {

constexpr std::string_view kUnfinished = "unfinished";
constexpr mode_t kPrivate = 0600;  // an export holds all that the palace holds

// The file that is to be replaced: where symbolic links lead to.
Result<std::filesystem::path> target_of(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error)) {
    std::filesystem::path target = std::filesystem::canonical(path, error);
    if (!error) return target;
  }
  if (std::filesystem::is_symlink(std::filesystem::symlink_status(path, error))) {
    return Error{ErrorKind::io, "cannot write " + path.string() + ": it is a symbolic link to nothing; remove it"};
  }
  return std::filesystem::absolute(path);
}

Error exists_already(const std::filesystem::path& path) {
  return {ErrorKind::already_exists,
          path.string() + " exists already; choose another name (the command line has --overwrite)"};
}

int rename_to_free_name(const char* from, const char* to) noexcept {
  const int result = ::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
  // File systems that do not know how have links, which never replace anything either.
  return result != 0 && errno == EINVAL ? ::link(from, to) : result;
}

// A mistyped name must not cost a palace, a backup or another program's data.
Status check_not_a_database(const std::filesystem::path& file) {
  constexpr std::string_view kDatabaseBegin{"SQLite format 3\0", 16};
  std::array<char, kDatabaseBegin.size()> begin{};
  std::ifstream(file, std::ios::binary).read(begin.data(), begin.size());
  if (std::string_view(begin.data(), begin.size()) != kDatabaseBegin) return ok_status();
  return Error{ErrorKind::invalid_argument, file.string() + " is a database; name another file"};
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::filesystem::path& path, IfThere if_there) {
  struct stat existing = {};
  const bool is_there = ::stat(path.c_str(), &existing) == 0;
  if (is_there && !S_ISREG(existing.st_mode)) {
    if (S_ISDIR(existing.st_mode)) {
      return Error{ErrorKind::invalid_argument, path.string() + " is a folder; name a file in it"};
    }
    FileDescriptor device(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
    if (!device.is_open()) return io_error("cannot write", path, errno);
    return OutputFile(path, if_there, std::nullopt, std::move(device));
  }
  if (is_there && if_there == IfThere::fail) return exists_already(path);
  std::filesystem::path target = TRY(target_of(path));
  TRY(check_not_a_database(target));
  AsideFolder aside = TRY(AsideFolder::create_in(target.parent_path()));
  FileDescriptor file(
      ::open((aside.path() / kUnfinished).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kPrivate));
  if (!file.is_open()) return io_error("cannot write", path, errno);
  return OutputFile(std::move(target), if_there, std::move(aside), std::move(file));
}

Status OutputFile::write(std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(file_.get(), content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return io_error("cannot write", path_, errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return ok_status();
}

Status OutputFile::publish() {
  if (!aside_) return ok_status();
  if (::fsync(file_.get()) != 0) return io_error("cannot write", path_, errno);
  // A network file system may report a failed write only now.
  if (::close(file_.release()) != 0) return io_error("cannot write", path_, errno);
  const auto put = if_there_ == IfThere::fail ? rename_to_free_name : ::rename;
  if (put((aside_->path() / kUnfinished).c_str(), path_.c_str()) != 0)
    return errno == EEXIST ? exists_already(path_) : io_error("cannot write", path_, errno);
  aside_.reset();
  return sync_folder(path_.parent_path());
}

}  // namespace loci
