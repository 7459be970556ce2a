// A queue between two threads that holds only so much: who puts in waits while it is full, who takes out while it is
// empty.
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

  // An item that weighs more than the queue holds waits until it is empty. False: it was closed, and the item dropped.
  bool push(Item item, std::size_t weight) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    while (!is_closed_ && !items_.empty() && weight_ + weight > capacity_) changed_.wait(mutex_);
    if (is_closed_) return false;
    weight_ += weight;
    items_.emplace_back(std::move(item), weight);
    changed_.notify_all();
    return true;
  }

  // Nothing: it was closed, and all that was in it is taken.
  std::optional<Item> pop() EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    while (!is_closed_ && items_.empty()) changed_.wait(mutex_);
    if (items_.empty()) return std::nullopt;
    std::optional<Item> item = std::move(items_.front().first);
    weight_ -= items_.front().second;
    items_.pop_front();
    changed_.notify_all();
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
  std::size_t weight_ GUARDED_BY(mutex_) = 0;
  bool is_closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace loci
