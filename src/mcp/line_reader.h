// Lines from an open file, with a limit that a hostile one cannot pass.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "loci/result.h"

namespace loci::mcp {

// Room for the longest drawer, escaped, and what stands around it.
inline constexpr std::size_t kMaxMessageBytes = std::size_t{16} << 20;

class LineReader {
 public:
  enum class State { line, too_long, end };
  struct Line {
    State state = State::end;
    std::string_view text = {};  // until the next call; without the line end
  };

  explicit LineReader(int descriptor, std::size_t limit_bytes = kMaxMessageBytes)
      : descriptor_(descriptor), limit_bytes_(limit_bytes) {}

  // Waits for the next line. One that is too long is read to its end and thrown away; one that the end of the input
  // cuts off is a line. Errors: io.
  Result<Line> next();

  // Waits so long for something to read. False: nothing came, and next would wait.
  bool has_input(std::chrono::milliseconds timeout) const;

 private:
  const int descriptor_;
  const std::size_t limit_bytes_;
  std::string buffer_;
  std::size_t begin_ = 0;  // of what was not handed out yet
  bool is_at_end_ = false;
  bool is_skipping_ = false;
};

}  // namespace loci::mcp
