#include "cli/progress_line.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace loci {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstOnTerminal{300};
constexpr milliseconds kBetweenOnTerminal{100};
constexpr milliseconds kBetweenElsewhere{5000};
constexpr std::size_t kBarWidth = 24;

std::string amount(std::uint64_t number, std::string_view unit) {
  return unit == "bytes" ? human_size(number) : with_separators(number);
}

std::string time_left(std::uint64_t seconds) {
  if (seconds < 60) return fmt::format("{} s left", seconds);
  if (seconds < 3600) return fmt::format("{} min left", (seconds + 59) / 60);
  return fmt::format("{} h {} min left", seconds / 3600, seconds % 3600 / 60);
}

std::string bar(double part) {
  const auto filled = static_cast<std::size_t>(part * static_cast<double>(kBarWidth));
  return "[" + std::string(filled, '#') + std::string(kBarWidth - filled, ' ') + "]";
}

}  // namespace

std::string progress_text(const Progress& progress, milliseconds elapsed) {
  const std::uint64_t total = progress.total.value_or(0);
  const double seconds = static_cast<double>(elapsed.count()) / 1000;
  const double rate = seconds > 0 ? static_cast<double>(progress.done) / seconds : 0;
  std::string text = amount(progress.done, progress.unit);
  if (total > 0) text += " of " + amount(total, progress.unit);
  if (progress.unit != "bytes") text += " " + std::string(progress.unit);
  if (!progress.detail.empty()) text += ", " + std::string(progress.detail);
  text += fmt::format("  {}/s", amount(static_cast<std::uint64_t>(rate), progress.unit));
  if (total > progress.done && rate > 0) {
    text += "  " + time_left(static_cast<std::uint64_t>(static_cast<double>(total - progress.done) / rate + 0.5));
  }
  return text;
}

std::string progress_bar(const Progress& progress, milliseconds elapsed, std::size_t width) {
  const std::string text = progress_text(progress, elapsed);
  const std::uint64_t total = progress.total.value_or(0);
  if (total > 0) {
    // What is done may outgrow what was counted before, since others write meanwhile.
    const double part = std::min(1.0, static_cast<double>(progress.done) / static_cast<double>(total));
    const std::string with_bar = fmt::format("{} {:3.0f}%  {}", bar(part), part * 100, text);
    if (display_width(with_bar) < width) return with_bar;
  }
  return cut_to_width(text, width > 0 ? width - 1 : 0);
}

ProgressLine::ProgressLine(const Terminal& terminal, Write write, Clock::time_point start)
    : terminal_(terminal),
      write_(std::move(write)),
      start_(start),
      next_(start + (terminal.can_redraw ? kFirstOnTerminal : kBetweenElsewhere)) {}

void ProgressLine::show(const Progress& progress, Clock::time_point now) {
  if (now < next_) return;
  const auto elapsed = std::chrono::duration_cast<milliseconds>(now - start_);
  if (terminal_.can_redraw) {
    write_("\r" + pad_to_width(progress_bar(progress, elapsed, terminal_.width), terminal_.width - 1));
    is_drawn_ = true;
    next_ = now + kBetweenOnTerminal;
  } else {
    write_(progress_text(progress, elapsed) + "\n");
    next_ = now + kBetweenElsewhere;
  }
}

void ProgressLine::clear() {
  if (!is_drawn_) return;
  write_("\r" + std::string(terminal_.width - 1, ' ') + "\r");
  is_drawn_ = false;
}

}  // namespace loci
