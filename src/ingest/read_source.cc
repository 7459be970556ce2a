#include "ingest/read_source.h"

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

namespace loci {
namespace {

constexpr int kAttempts = 3;

PassedOver passed(PassReason reason, const std::string& path, std::string detail = {}) {
  return {reason, path, std::move(detail)};
}

PassedOver failed(const std::string& path, int error) {
  return passed(error == ENOENT ? PassReason::vanished : PassReason::unreadable, path, std::strerror(error));
}

// 0 or the errno. Fewer bytes than asked for: the file ended before.
int read_up_to(int descriptor, std::string& bytes, std::size_t size) {
  bytes.resize(size);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = ::read(descriptor, bytes.data() + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  bytes.resize(done);
  return 0;
}

// Nothing: it changed under our hands.
std::optional<std::variant<FileBytes, PassedOver>> read_once(const std::string& path, std::uint64_t max_bytes) {
  // Without waiting for a writer, should it have become a pipe by now.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.is_open()) return failed(path, errno);
  struct stat before = {};
  if (::fstat(file.get(), &before) != 0) return failed(path, errno);
  if (!S_ISREG(before.st_mode)) return passed(PassReason::special_file, path, "a pipe, socket or device");
  if (static_cast<std::uint64_t>(before.st_size) > max_bytes)
    return passed(PassReason::too_large, path, too_large_detail(static_cast<std::uint64_t>(before.st_size), max_bytes));
  FileBytes content{.bytes = {}, .stamp = stamp_of(before)};
  if (const int error = read_up_to(file.get(), content.bytes, static_cast<std::size_t>(before.st_size)); error != 0)
    return failed(path, error);
  struct stat after = {};
  if (::fstat(file.get(), &after) != 0) return failed(path, errno);
  const bool has_grown = after.st_size > before.st_size;
  const bool is_whole = content.bytes.size() == content.stamp.size_bytes;
  if (is_whole && (has_grown || stamp_of(after) == content.stamp)) return content;
  return std::nullopt;
}

}  // namespace

std::variant<FileBytes, PassedOver> read_source(const std::string& path, std::uint64_t max_bytes) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (auto content = read_once(path, max_bytes)) return std::move(*content);
  }
  return passed(PassReason::changed, path, "it changed while it was read; the next run takes it");
}

}  // namespace loci
