// When work has to end, whatever it is waiting for.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace loci {

// Never, until somebody names a time. Many threads may use it at once.
class StopTime {
 public:
  using Clock = std::chrono::steady_clock;

  // How often whoever waits has to look.
  static constexpr std::chrono::milliseconds kLookEvery{50};

  // Of several times the earliest counts.
  void stop_by(Clock::time_point time) {
    Clock::time_point known = time_;
    while (time < known && !time_.compare_exchange_weak(known, time)) continue;
  }
  bool has_come() const { return Clock::now() >= time_.load(); }

  // Sleeps so long, or until the time has come.
  void sleep(std::chrono::milliseconds duration) const {
    const Clock::time_point end = Clock::now() + duration;
    for (auto now = Clock::now(); now < end && !has_come(); now = Clock::now()) {
      std::this_thread::sleep_for(std::min<Clock::duration>(end - now, kLookEvery));
    }
  }

 private:
  std::atomic<Clock::time_point> time_ = Clock::time_point::max();
};

}  // namespace loci
