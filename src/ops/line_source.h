// LineSource: the lines of a stream, numbered, with a bound on how long one may be. For one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

#include "loci/result.h"

namespace loci {

struct SourceLine {
  std::size_t number = 0;      // the first is 1; empty lines count
  std::string_view text = {};  // without its line end; holds until the next call
  bool is_too_long = false;    // the text is then empty
};

class LineSource {
 public:
  LineSource(std::istream& input, std::size_t longest_line_bytes)
      : input_(input), longest_line_bytes_(longest_line_bytes) {}

  // The next line that is not empty; nothing at the end. A byte order mark before the first line is left out.
  // Errors: io.
  Result<std::optional<SourceLine>> next();

  std::uint64_t bytes() const { return bytes_; }  // read so far

 private:
  Result<std::optional<SourceLine>> next_of_any_length();
  Status fill();

  std::istream& input_;
  std::size_t longest_line_bytes_;
  std::string buffer_;  // what was read and not yet handed out stands from begin_ on
  std::size_t begin_ = 0;
  std::size_t number_ = 0;
  std::uint64_t bytes_ = 0;
  bool at_end_ = false;
};

}  // namespace loci
