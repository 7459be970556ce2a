#include "base/random.h"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <sys/random.h>

#include "base/sha256.h"

namespace loci {

std::string random_hex(std::size_t bytes) {
  std::vector<std::uint8_t> buffer(bytes);
  std::size_t filled = 0;
  while (filled < bytes) {
    const ssize_t count = ::getrandom(buffer.data() + filled, bytes - filled, 0);
    if (count > 0) {
      filled += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      std::abort();  // only a kernel older than 3.17 lacks the call, and a predictable token would be a hole
    }
  }
  return to_hex(buffer);
}

}  // namespace loci
