#include "cli/text_input.h"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"

namespace loci {

Result<std::string> read_text(const std::string& path, std::size_t limit_bytes) {
  const bool is_standard_input = path == "-";
  const std::string name = is_standard_input ? "the standard input" : path;
  FileDescriptor file(is_standard_input ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!file.is_open()) return io_error("cannot read", name, errno);

  constexpr std::size_t kStepBytes = std::size_t{64} << 10;
  std::string content;
  while (true) {
    const std::size_t before = content.size();
    content.resize(before + kStepBytes);
    const ssize_t count = ::read(file.get(), content.data() + before, kStepBytes);
    if (count < 0 && errno == EINTR) {
      content.resize(before);
      continue;
    }
    if (count < 0 && errno == EISDIR)
      return Error{ErrorKind::invalid_argument, name + " is a folder; name a file in it"};
    if (count < 0) return io_error("cannot read", name, errno);
    content.resize(before + static_cast<std::size_t>(count));
    if (count == 0) return content;
    if (content.size() > limit_bytes) {
      return Error{ErrorKind::invalid_argument, name + " has more than " + std::to_string(limit_bytes >> 20) +
                                                    " MiB, the most that one drawer holds; split it into parts"};
    }
  }
}

}  // namespace loci
