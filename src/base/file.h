// Files and folders: reading whole files, replacing them so that a crash leaves the old or the new one, and errors that
// tell people what to do. Any thread may call the functions.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <sys/types.h>

#include "loci/result.h"

namespace loci {

// Owns an open file descriptor and closes it. Empty after a move.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int descriptor) : descriptor_(descriptor) {}
  FileDescriptor(FileDescriptor&& other) noexcept : descriptor_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      reset();
      descriptor_ = other.release();
    }
    return *this;
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { reset(); }

  int get() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }
  int release() { return std::exchange(descriptor_, -1); }
  void reset();

 private:
  int descriptor_ = -1;
};

// The error for a failed system call on a path, with the way out where there is one:
//   io_error("cannot write", "/p/palace.db", ENOSPC) → "cannot write /p/palace.db: the disk is full; free some space …"
// The kind is not_found for ENOENT, busy for EBUSY, ETXTBSY and EAGAIN, and io for the rest. The message is valid UTF-8
// whatever the path is.
Error io_error(std::string_view what, const std::filesystem::path& path, int errno_value);

inline constexpr std::size_t kReadFileLimitBytes = std::size_t{1} << 30;

// The whole content of a regular file. Errors: not_found, invalid_argument (longer than the limit, or a folder, pipe or
// device), io.
Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit_bytes = kReadFileLimitBytes);

// Makes the file have this content and mode; after a crash at any moment the old or the new content is there, whole.
// Once it returns ok the new one survives a crash of the machine. A symbolic link is followed: the file that it names
// is replaced. On error nothing has changed and no temporary file is left.
Status write_file_atomically(const std::filesystem::path& path, std::string_view content, mode_t mode = 0600);

// Makes the folder and those above it where they are missing, each new one with mode 0700. An existing folder is left
// as it is.
Status make_private_folder(const std::filesystem::path& path);

// Writes to a pipe or socket as much as there is room for and returns at once: how many bytes, or -1 and errno, which
// is EAGAIN when there is no room. Older kernels and other files have no such way (EOPNOTSUPP).
ssize_t write_without_waiting(int descriptor, std::string_view bytes);

// Makes a created, renamed or removed name in the folder survive a crash of the machine.
Status sync_folder(const std::filesystem::path& folder);

// Is the path, which need not exist, that of the folder or of something in it, wherever symbolic links lead?
bool is_inside(const std::filesystem::path& path, const std::filesystem::path& folder);

// "~" and "~/notes" with the home folder of the user ($HOME, else the password file) in place of the tilde; other text
// as it is, also when there is no home folder. Faces call this on what a user typed; nothing else reads the
// environment.
std::filesystem::path expand_home(std::string_view path);

}  // namespace loci
