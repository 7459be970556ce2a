#include "cli/output.h"

#include <cerrno>

#include <unistd.h>

#include "base/file.h"

namespace loci {

Status write_to(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      return io_error("cannot write to", descriptor == STDOUT_FILENO ? "the standard output" : "the standard error",
                      errno);
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return ok_status();
}

}  // namespace loci
