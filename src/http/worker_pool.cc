#include "http/worker_pool.h"

#include <utility>

namespace loci::http {

bool WorkerPool::submit(std::function<void()> work) {
  const MutexLock lock(mutex_);
  if (is_stopped_ || waiting_.size() >= max_waiting_) return false;
  waiting_.push_back(std::move(work));
  if (waiting_.size() > idle_ && threads_.size() < max_threads_) threads_.emplace_back([this] { run(); });
  changed_.notify_one();
  return true;
}

void WorkerPool::stop() {
  std::vector<std::thread> threads;
  std::deque<std::function<void()>> dropped;
  {
    const MutexLock lock(mutex_);
    is_stopped_ = true;
    std::swap(threads, threads_);
    std::swap(dropped, waiting_);
    changed_.notify_all();
  }
  for (std::thread& thread : threads) thread.join();
}

void WorkerPool::run() {
  MutexLock lock(mutex_);
  for (;;) {
    ++idle_;
    while (waiting_.empty() && !is_stopped_) changed_.wait(mutex_);
    --idle_;
    if (waiting_.empty()) return;
    std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    work = nullptr;  // what it holds is let go of without the lock
    lock.lock();
  }
}

}  // namespace loci::http
