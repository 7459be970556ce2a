#include "mcp/line_reader.h"

#include <cerrno>

#include <poll.h>
#include <unistd.h>

#include "base/file.h"

namespace loci::mcp {
namespace {

constexpr std::size_t kReadBytes = 64 << 10;
constexpr std::size_t kKeptBytes = 1 << 20;  // of a buffer that a long line has made large

}  // namespace

Result<LineReader::Line> LineReader::next() {
  // What was handed out last is not needed any more.
  buffer_.erase(0, begin_);
  begin_ = 0;
  if (buffer_.empty() && buffer_.capacity() > kKeptBytes) buffer_.shrink_to_fit();
  std::size_t looked_at = 0;
  while (true) {
    const std::size_t end = buffer_.find('\n', looked_at);
    if (end != std::string::npos) {
      begin_ = end + 1;
      const bool is_too_long = is_skipping_ || end > limit_bytes_;
      is_skipping_ = false;
      if (is_too_long) return Line{.state = State::too_long};
      return Line{.state = State::line, .text = std::string_view(buffer_).substr(0, end)};
    }
    looked_at = buffer_.size();
    if (is_skipping_ || buffer_.size() > limit_bytes_) {
      is_skipping_ = true;
      buffer_.clear();
      looked_at = 0;
    }
    if (is_at_end_) {
      begin_ = buffer_.size();
      if (is_skipping_) {
        is_skipping_ = false;
        return Line{.state = State::too_long};
      }
      if (buffer_.empty()) return Line{};
      return Line{.state = State::line, .text = buffer_};
    }
    buffer_.resize(looked_at + kReadBytes);
    const ssize_t count = ::read(descriptor_, buffer_.data() + looked_at, kReadBytes);
    buffer_.resize(looked_at + (count > 0 ? static_cast<std::size_t>(count) : 0));
    if (count < 0 && errno != EINTR) return io_error("cannot read", "the standard input", errno);
    if (count == 0) is_at_end_ = true;
  }
}

bool LineReader::has_input(std::chrono::milliseconds timeout) const {
  if (is_at_end_ || buffer_.find('\n', begin_) != std::string::npos) return true;
  pollfd file = {.fd = descriptor_, .events = POLLIN, .revents = 0};
  return ::poll(&file, 1, static_cast<int>(timeout.count())) > 0;
}

}  // namespace loci::mcp
