#include "base/mutex.h"

#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace loci {
namespace {

class Counter {
 public:
  void increment() EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    ++value_;
    changed_.notify_all();
  }
  void wait_for_value(int value) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    while (value_ < value) changed_.wait(mutex_);
  }
  int value() EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return value_;
  }

 private:
  Mutex mutex_;
  ConditionVariable changed_;
  int value_ GUARDED_BY(mutex_) = 0;
};

TEST(MutexTest, OneThreadAtATimeIsInside) {
  Counter counter;
  std::vector<std::thread> threads;
  for (int index = 0; index < 4; ++index) {
    threads.emplace_back([&counter] {
      for (int round = 0; round < 1000; ++round) counter.increment();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter.value(), 4000);
}

TEST(MutexTest, AWaitEndsWithTheNotification) {
  Counter counter;
  std::thread other([&counter] { counter.increment(); });
  counter.wait_for_value(1);
  other.join();
  EXPECT_EQ(counter.value(), 1);
}

TEST(MutexTest, AWaitEndsWithTheTimeout) {
  Mutex mutex;
  ConditionVariable condition;
  const MutexLock lock(mutex);
  while (condition.wait_for(mutex, std::chrono::milliseconds(1))) {
  }
}

TEST(MutexTest, ALockCanBeGivenUpAndTakenAgain) {
  Mutex mutex;
  MutexLock lock(mutex);
  lock.unlock();
  std::thread other([&mutex] { const MutexLock theirs(mutex); });
  other.join();
  lock.lock();
}

TEST(SharedMutexTest, ReadersDoNotExcludeEachOther) {
  SharedMutex mutex;
  const ReaderLock lock(mutex);
  std::thread other([&mutex] { const ReaderLock theirs(mutex); });
  other.join();
}

TEST(SharedMutexTest, AWriterExcludesWriters) {
  SharedMutex mutex;
  int value = 0;
  std::vector<std::thread> threads;
  for (int index = 0; index < 4; ++index) {
    threads.emplace_back([&] {
      for (int round = 0; round < 1000; ++round) {
        const WriterLock lock(mutex);
        ++value;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(value, 4000);
}

}  // namespace
}  // namespace loci
