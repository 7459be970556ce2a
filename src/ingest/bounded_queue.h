// A queue between two threads that holds only so much: who puts in waits while it is full, who takes out while it is
// empty. What was taken out weighs until the next item is asked for.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

#include "base/mutex.h"

namespace loci {

// Many threads may use it at once.
template <typename Item>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  // For who is about to make an item: returns once there is room for it. One that weighs more than the queue holds has
  // room when there is no other. False: it was closed.
  bool wait_for_room(std::size_t weight) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    while (!is_closed_ && weight_ > 0 && weight_ + weight > capacity_) changed_.wait(mutex_);
    return !is_closed_;
  }

  // Does not wait. False: it was closed, and the item dropped.
  bool push(Item item, std::size_t weight) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (is_closed_) return false;
    weight_ += weight;
    items_.emplace_back(std::move(item), weight);
    changed_.notify_all();
    return true;
  }

  // Nothing: it was closed, and all that was in it is taken.
  std::optional<Item> pop() EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    weight_ -= std::exchange(weight_taken_, 0);
    changed_.notify_all();
    while (!is_closed_ && items_.empty()) changed_.wait(mutex_);
    if (items_.empty()) return std::nullopt;
    std::optional<Item> item = std::move(items_.front().first);
    weight_taken_ = items_.front().second;
    items_.pop_front();
    return item;
  }

  // Nothing goes in from now on.
  void close() EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    is_closed_ = true;
    changed_.notify_all();
  }

 private:
  const std::size_t capacity_;

  Mutex mutex_;
  ConditionVariable changed_;
  std::deque<std::pair<Item, std::size_t>> items_ GUARDED_BY(mutex_);
  std::size_t weight_ GUARDED_BY(mutex_) = 0;        // of the items, and of the one that was taken last
  std::size_t weight_taken_ GUARDED_BY(mutex_) = 0;  // of the latter
  bool is_closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace loci
