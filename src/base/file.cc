#include "base/file.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/random.h"
#include "base/utf8.h"

namespace loci {
namespace {

std::string display(const std::filesystem::path& path) {
  std::string text = to_valid_utf8(path.native());
  for (char& character : text) {
    if (static_cast<unsigned char>(character) < 0x20 || character == 0x7F) character = '?';
  }
  return text;
}

// What the user can do about it; for the rest the system's own words.
std::string explain(int errno_value) {
  switch (errno_value) {
    case ENOSPC: return "the disk is full; free some space and try again";
    case EDQUOT: return "the disk quota is used up; free some space and try again";
    case EACCES:
    case EPERM: return "permission denied; check who owns it and its mode (ls -ld)";
    case EROFS: return "the file system is read-only; mount it for writing or choose another place";
    case EMFILE: return "too many open files in this process; raise the limit (ulimit -n)";
    case ENFILE: return "too many open files on this machine; close some programs";
    case ENOENT: return "no such file or folder";
    case ENOTDIR: return "a part of the path is a file, not a folder";
    case EISDIR: return "it is a folder";
    case ELOOP: return "symbolic links go round in a circle; remove one of them";
    case ENAMETOOLONG: return "the name is too long; choose a shorter one";
    case EFBIG: return "the file would be larger than the file system or the limit (ulimit -f) allows";
    case EIO: return "input/output error; the disk may be failing, make a copy of what can still be read";
    case EBUSY:
    case ETXTBSY:
    case EAGAIN: return "it is in use; try again later";
    case ESTALE: return "the network file system lost it; mount it again";
    case ENOLCK: return "the file system has no locks; choose a place on a local disk";
    default: return std::generic_category().message(errno_value);
  }
}

ErrorKind kind_of(int errno_value) {
  switch (errno_value) {
    case ENOENT: return ErrorKind::not_found;
    case EBUSY:
    case ETXTBSY:
    case EAGAIN: return ErrorKind::busy;
    default: return ErrorKind::io;
  }
}

// open(2) that is not disturbed by signals. O_CLOEXEC always: a child must not hold our locks and files.
FileDescriptor open_file(const std::filesystem::path& path, int flags, mode_t mode = 0) {
  int descriptor;
  do {
    descriptor = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (descriptor < 0 && errno == EINTR);
  return FileDescriptor(descriptor);
}

// 0 or the errno.
int write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t count = ::write(descriptor, content.data(), content.size());
    if (count < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

// Gives the file its content, mode and durability; 0 or the errno.
int fill(FileDescriptor& file, std::string_view content, mode_t mode) {
  // The mode given to open(2) is cut by the umask; this one is exact.
  if (::fchmod(file.get(), mode) != 0) return errno;
  if (const int failure = write_all(file.get(), content); failure != 0) return failure;
  if (::fsync(file.get()) != 0) return errno;
  // A network file system may report a failed write only now.
  return ::close(file.release()) == 0 ? 0 : errno;
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.parent_path();
  return folder.empty() ? std::filesystem::path(".") : folder;
}

// The file that a chain of symbolic links names, which need not exist.
Result<std::filesystem::path> follow_links(std::filesystem::path path) {
  constexpr int kLongestChain = 40;  // as in the kernel
  for (int step = 0; step < kLongestChain; ++step) {
    std::error_code error;
    if (!std::filesystem::is_symlink(std::filesystem::symlink_status(path, error))) return path;
    const std::filesystem::path target = std::filesystem::read_symlink(path, error);
    if (error) return io_error("cannot read the link", path, error.value());
    path = folder_of(path) / target;  // an absolute target replaces the folder
  }
  return io_error("cannot write", path, ELOOP);
}

bool is_folder(const std::filesystem::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

Error not_a_folder(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    return {ErrorKind::io,
            "cannot make the folder " + display(path) + ": a file has this name; move it or choose another place"};
  }
  if (errno == ENOENT) {
    return {ErrorKind::io,
            "cannot make the folder " + display(path) + ": a symbolic link to nothing has this name; remove it"};
  }
  return io_error("cannot make the folder", path, errno);
}

}  // namespace

void FileDescriptor::reset() {
  if (descriptor_ >= 0) ::close(release());
}

Error io_error(std::string_view what, const std::filesystem::path& path, int errno_value) {
  return {kind_of(errno_value), std::string(what) + " " + display(path) + ": " + explain(errno_value)};
}

Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit_bytes) {
  // O_NONBLOCK so that a pipe without a writer does not hang us; on regular files it means nothing.
  const FileDescriptor file = open_file(path, O_RDONLY | O_NONBLOCK);
  if (!file.is_open()) return io_error("cannot read", path, errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return io_error("cannot read", path, errno);
  if (!S_ISREG(status.st_mode)) {
    const std::string_view what = S_ISDIR(status.st_mode) ? "a folder" : "not a regular file";
    return Error{ErrorKind::invalid_argument, "cannot read " + display(path) + ": it is " + std::string(what)};
  }

  // The size is a hint: files of /proc say 0, and a file may grow while it is read.
  constexpr std::size_t kSmallestStep = 16384;
  std::string content;
  std::size_t filled = 0;
  std::size_t step = std::min(static_cast<std::size_t>(status.st_size), limit_bytes) + 1;
  for (;;) {
    content.resize(filled + step);
    const ssize_t count = ::read(file.get(), content.data() + filled, step);
    if (count < 0) {
      if (errno == EINTR) continue;
      return io_error("cannot read", path, errno);
    }
    filled += static_cast<std::size_t>(count);
    if (filled > limit_bytes) {
      return Error{ErrorKind::invalid_argument,
                   "cannot read " + display(path) + ": it is larger than " + std::to_string(limit_bytes) + " bytes"};
    }
    if (count == 0) break;
    step = std::min(std::max(filled, kSmallestStep), limit_bytes - filled + 1);
  }
  content.resize(filled);
  return content;
}

Status write_file_atomically(const std::filesystem::path& path, std::string_view content, mode_t mode) {
  const std::filesystem::path target = TRY(follow_links(path));
  const std::filesystem::path folder = folder_of(target);
  // A name of its own, not one made from the target's: that may already have the greatest length.
  const std::filesystem::path temporary = folder / (".loci-" + random_hex(8) + ".tmp");
  FileDescriptor file = open_file(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (!file.is_open()) return io_error("cannot write", path, errno);

  int failure = fill(file, content, mode);
  if (failure == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) failure = errno;
  if (failure != 0) {
    ::unlink(temporary.c_str());
    return io_error("cannot write", path, failure);
  }
  return sync_folder(folder);
}

Status make_private_folder(const std::filesystem::path& path) {
  if (path.empty()) return Error{ErrorKind::invalid_argument, "cannot make a folder without a name"};
  if (is_folder(path)) return {};
  // "a/b/" has an empty last name, its parent is "a/b".
  if (path.filename().empty()) return make_private_folder(path.parent_path());

  int failure = ::mkdir(path.c_str(), 0700) == 0 ? 0 : errno;
  if (failure == ENOENT && path.has_parent_path() && path.parent_path() != path) {
    if (const Status made = make_private_folder(path.parent_path()); !made.ok()) return made;
    failure = ::mkdir(path.c_str(), 0700) == 0 ? 0 : errno;
  }
  if (failure == 0) return sync_folder(folder_of(path));
  if (failure != EEXIST) return io_error("cannot make the folder", path, failure);
  // Another process may have made it in between.
  return is_folder(path) ? Status() : not_a_folder(path);
}

ssize_t write_without_waiting(int descriptor, std::string_view bytes) {
  const iovec piece = {.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
  return ::pwritev2(descriptor, &piece, 1, -1, RWF_NOWAIT);
}

Status sync_folder(const std::filesystem::path& folder) {
  const FileDescriptor descriptor = open_file(folder, O_RDONLY | O_DIRECTORY);
  if (!descriptor.is_open()) return io_error("cannot open the folder", folder, errno);
  // Some network and user-space file systems cannot sync a folder and say so; there is nothing more to do for them.
  if (::fsync(descriptor.get()) != 0 && errno != EINVAL && errno != ENOTSUP && errno != ENOSYS) {
    return io_error("cannot save the folder", folder, errno);
  }
  return {};
}

bool is_inside(const std::filesystem::path& path, const std::filesystem::path& folder) {
  std::error_code error;
  // What is not there stays relative unless it is made absolute before.
  const auto resolved = [&](const std::filesystem::path& name) {
    const std::filesystem::path whole = error ? name : std::filesystem::absolute(name, error);
    return error ? whole : std::filesystem::weakly_canonical(whole, error);
  };
  const std::filesystem::path below = resolved(path).lexically_relative(resolved(folder));
  return !error && !below.empty() && *below.begin() != "..";
}

std::filesystem::path expand_home(std::string_view path) {
  if (path != "~" && !path.starts_with("~/")) return path;
  std::string home;
  if (const char* variable = std::getenv("HOME"); variable != nullptr && *variable != '\0') {
    home = variable;
  } else {
    passwd entry{};
    passwd* found = nullptr;
    std::vector<char> buffer(16384);
    if (::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) return path;
    home = entry.pw_dir;
  }
  if (path.size() <= 2) return home;
  return std::filesystem::path(home) / path.substr(2);
}

}  // namespace loci
