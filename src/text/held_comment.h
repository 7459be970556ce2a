// A comment that waits for the key below it, which then begins where the comment does.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include "text/outline.h"

namespace loci {

class HeldComment {
 public:
  // The first line of a comment; the lines after it change nothing.
  void hold(std::size_t start) {
    if (start_ == kNone) start_ = start;
  }

  // Where the comment begins that is held no longer, else `otherwise`.
  std::size_t take_or(std::size_t otherwise) {
    const std::size_t start = std::exchange(start_, kNone);
    return start == kNone ? otherwise : start;
  }

  // The comment turns out to stand by itself.
  void release(Outline& outline, std::size_t rank) {
    if (start_ != kNone) outline.add(std::exchange(start_, kNone), rank);
  }

 private:
  static constexpr std::size_t kNone = std::string_view::npos;
  std::size_t start_ = kNone;
};

}  // namespace loci
