// A few threads that do the work of requests, so that a long one keeps nobody waiting. Threads come when there is more
// to do than there are idle ones, and stay. Any thread may use it.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "base/mutex.h"

namespace loci::http {

class WorkerPool {
 public:
  WorkerPool(std::size_t max_threads, std::size_t max_waiting) : max_threads_(max_threads), max_waiting_(max_waiting) {}
  ~WorkerPool() { stop(); }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // False, and nothing is done, when too much is waiting already or the pool has stopped.
  bool submit(std::function<void()> work) EXCLUDES(mutex_);

  // Drops what has not begun, and waits for the rest.
  void stop() EXCLUDES(mutex_);

 private:
  void run() EXCLUDES(mutex_);

  const std::size_t max_threads_;
  const std::size_t max_waiting_;

  Mutex mutex_;
  ConditionVariable changed_;
  std::deque<std::function<void()>> waiting_ GUARDED_BY(mutex_);
  std::vector<std::thread> threads_ GUARDED_BY(mutex_);
  std::size_t idle_ GUARDED_BY(mutex_) = 0;
  bool is_stopped_ GUARDED_BY(mutex_) = false;
};

}  // namespace loci::http
