// Threads for requests that take time, in two lanes, so that long work never keeps quick work waiting.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "base/mutex.h"

namespace loci::mcp {

enum class Lane {
  at_once,  // on the thread that asks
  quick,
  long_running,
};

// Threads are made when there is work for them, up to a limit for each lane. Many threads may use it at once.
class Workers {
 public:
  using Work = std::function<void()>;

  Workers();
  ~Workers() { stop(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // False when too much is waiting already, or after stop.
  bool run(Lane lane, Work work);

  // Is less than that waiting?
  bool has_room(Lane lane);
  // Waits for it, or for stop.
  void wait_for_room(Lane lane);

  // Waits until nothing waits or runs in the lane.
  void drain(Lane lane);

  // Runs what has been taken, which should know by now that it is not wanted, and ends the threads.
  void stop();

 private:
  struct Queue {
    std::size_t most_threads = 0;
    std::deque<Work> waiting = {};
    std::size_t idle = 0;  // threads that wait for work
    std::size_t busy = 0;  // pieces of work under way
    std::vector<std::thread> threads = {};
    ConditionVariable has_work = {};
    ConditionVariable is_drained = {};
    ConditionVariable has_room = {};
  };
  Queue& queue(Lane lane) REQUIRES(mutex_) { return lane == Lane::long_running ? long_running_ : quick_; }
  void work(Lane lane);

  Mutex mutex_;
  Queue quick_ GUARDED_BY(mutex_);
  Queue long_running_ GUARDED_BY(mutex_);
  bool is_stopped_ GUARDED_BY(mutex_) = false;
};

}  // namespace loci::mcp
