#include "mcp/workers.h"

#include <utility>

namespace loci::mcp {
namespace {

constexpr std::size_t kQuickThreads = 8;
constexpr std::size_t kLongThreads = 4;
constexpr std::size_t kMostWaiting = 1000;

}  // namespace

Workers::Workers() : quick_{.most_threads = kQuickThreads}, long_running_{.most_threads = kLongThreads} {}

bool Workers::run(Lane lane, Work work) {
  MutexLock lock(mutex_);
  Queue& queue = this->queue(lane);
  if (is_stopped_ || queue.waiting.size() >= kMostWaiting) return false;
  queue.waiting.push_back(std::move(work));
  if (queue.idle < queue.waiting.size() && queue.threads.size() < queue.most_threads) {
    queue.threads.emplace_back([this, lane] { this->work(lane); });
  }
  ConditionVariable& has_work = queue.has_work;
  lock.unlock();  // first: a thread that wakes up would only wait for it
  has_work.notify_one();
  return true;
}

bool Workers::has_room(Lane lane) {
  const MutexLock lock(mutex_);
  return queue(lane).waiting.size() < kMostWaiting;
}

void Workers::wait_for_room(Lane lane) {
  const MutexLock lock(mutex_);
  Queue& queue = this->queue(lane);
  while (!is_stopped_ && queue.waiting.size() >= kMostWaiting) queue.has_room.wait(mutex_);
}

void Workers::drain(Lane lane) {
  const MutexLock lock(mutex_);
  Queue& queue = this->queue(lane);
  while (!queue.waiting.empty() || queue.busy > 0) queue.is_drained.wait(mutex_);
}

void Workers::stop() {
  MutexLock lock(mutex_);
  is_stopped_ = true;
  std::vector<std::thread> threads;
  for (Queue* queue : {&quick_, &long_running_}) {
    queue->has_work.notify_all();
    queue->has_room.notify_all();
    for (std::thread& thread : queue->threads) threads.push_back(std::move(thread));
    queue->threads.clear();
  }
  lock.unlock();
  for (std::thread& thread : threads) thread.join();
}

void Workers::work(Lane lane) {
  MutexLock lock(mutex_);
  Queue& queue = this->queue(lane);
  while (true) {
    ++queue.idle;
    while (queue.waiting.empty() && !is_stopped_) queue.has_work.wait(mutex_);
    --queue.idle;
    if (queue.waiting.empty()) return;
    Work work = std::move(queue.waiting.front());
    queue.waiting.pop_front();
    queue.has_room.notify_one();
    ++queue.busy;
    lock.unlock();
    work();
    work = nullptr;  // what it holds is let go before anybody hears that it is done
    lock.lock();
    --queue.busy;
    if (queue.busy == 0) queue.is_drained.notify_all();
  }
}

}  // namespace loci::mcp
