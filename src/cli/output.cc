#include "cli/output.h"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"

namespace loci {

void reserve_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1) continue;
    // The lowest free number is this one, since those below it are taken.
    static_cast<void>(::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

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
