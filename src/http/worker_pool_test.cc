#include "http/worker_pool.h"

#include <atomic>
#include <future>
#include <memory>

#include <gtest/gtest.h>

namespace loci::http {
namespace {

TEST(WorkerPoolTest, DoesOtherWorkWhileOneTakesLong) {
  std::promise<void> long_may_end;
  WorkerPool pool(2, 10);
  ASSERT_TRUE(pool.submit([&] { long_may_end.get_future().wait(); }));
  for (int i = 0; i < 5; ++i) {
    std::promise<void> done;
    ASSERT_TRUE(pool.submit([&] { done.set_value(); }));
    ASSERT_EQ(done.get_future().wait_for(std::chrono::seconds(20)), std::future_status::ready);
  }
  long_may_end.set_value();
}

TEST(WorkerPoolTest, RefusesMoreThanMayWait) {
  std::promise<void> begun;
  std::promise<void> may_end;
  WorkerPool pool(1, 1);
  ASSERT_TRUE(pool.submit([&] {
    begun.set_value();
    may_end.get_future().wait();
  }));
  begun.get_future().wait();
  EXPECT_TRUE(pool.submit([] {}));
  EXPECT_FALSE(pool.submit([] {}));
  may_end.set_value();
}

TEST(WorkerPoolTest, FinishesWhatHasBegunAndDropsTheRest) {
  std::atomic<bool> was_finished = false;
  std::atomic<bool> was_begun = false;
  WorkerPool pool(1, 10);
  std::promise<void> begun;
  ASSERT_TRUE(pool.submit([&] {
    begun.set_value();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    was_finished = true;
  }));
  begun.get_future().wait();
  ASSERT_TRUE(pool.submit([&] { was_begun = true; }));
  pool.stop();
  EXPECT_TRUE(was_finished);
  EXPECT_FALSE(was_begun);
  EXPECT_FALSE(pool.submit([] {}));
}

}  // namespace
}  // namespace loci::http
