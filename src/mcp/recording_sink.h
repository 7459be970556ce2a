// A sink that keeps what it gets, for tests.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "base/mutex.h"
#include "mcp/sink.h"

namespace loci::mcp {

// Any thread may use it.
class RecordingSink final : public Sink {
 public:
  void send(const Json& message) override {
    const MutexLock lock(mutex_);
    messages_.push_back(message);
    changed_.notify_all();
  }
  void request_is_over() override {
    const MutexLock lock(mutex_);
    ++over_;
    changed_.notify_all();
  }

  // Waits until so many requests are over, and says whether they are.
  bool wait_until_over(std::size_t requests) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    const MutexLock lock(mutex_);
    while (over_ < requests) {
      if (!changed_.wait_until(mutex_, deadline)) return over_ >= requests;
    }
    return true;
  }
  // Waits until so many messages are there.
  bool wait_for_messages(std::size_t count) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    const MutexLock lock(mutex_);
    while (messages_.size() < count) {
      if (!changed_.wait_until(mutex_, deadline)) return messages_.size() >= count;
    }
    return true;
  }

  std::vector<Json> messages() {
    const MutexLock lock(mutex_);
    return messages_;
  }
  std::size_t over() {
    const MutexLock lock(mutex_);
    return over_;
  }

 private:
  Mutex mutex_;
  ConditionVariable changed_;
  std::vector<Json> messages_ GUARDED_BY(mutex_);
  std::size_t over_ GUARDED_BY(mutex_) = 0;
};

}  // namespace loci::mcp
