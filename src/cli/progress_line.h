// How far long work is: a line that is drawn over and over on a terminal, a line now and then elsewhere.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "api/caller.h"
#include "cli/terminal.h"

namespace loci {

// "1,200 of 3,000 records  600/s  3 s left".
std::string progress_text(const Progress& progress, std::chrono::milliseconds elapsed);

// The same with a bar before it where there is room, "[####      ] 40%  …", and shorter than the width.
std::string progress_bar(const Progress& progress, std::chrono::milliseconds elapsed, std::size_t width);

// For one thread. Work that is over quickly shows nothing.
class ProgressLine {
 public:
  using Clock = std::chrono::steady_clock;
  using Write = std::function<void(std::string_view)>;

  ProgressLine(const Terminal& terminal, Write write, Clock::time_point start);

  void show(const Progress& progress, Clock::time_point now);

  // Takes the line off the terminal again.
  void clear();

 private:
  const Terminal terminal_;
  const Write write_;
  const Clock::time_point start_;
  Clock::time_point next_;  // nothing is shown before
  bool is_drawn_ = false;
};

}  // namespace loci
