#include "store/embedded/writer_queue.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/temporary_folder.h"
#include "store/embedded/sqlite.h"

namespace loci::embedded {
namespace {

using namespace std::chrono_literals;

class WriterQueueTest : public testing::Test {
 protected:
  std::unique_ptr<Connection> connect() const {
    Result<std::unique_ptr<Connection>> opened =
        open_connection(folder_.path() / "test.db", OpenMode::read_write_create);
    EXPECT_TRUE(opened.ok());
    EXPECT_TRUE((*opened)->execute("PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS t(x)").ok());
    return std::move(*opened);
  }
  std::filesystem::path lock_file() const { return folder_.path() / "writers.lock"; }

  TemporaryFolder folder_;
};

TEST_F(WriterQueueTest, AWriterThatWaitsLongTakesAPlaceAndGetsItsTurn) {
  const auto holder = connect();
  Result<Transaction> held = Transaction::begin(*holder, Transaction::Kind::write);
  ASSERT_TRUE(held.ok());

  WriterQueue queue(lock_file(), 10s);
  const auto waiter = connect();
  queue.attach(waiter->handle());
  std::atomic<bool> got = false;
  std::thread thread([&] {
    Result<Transaction> transaction = Transaction::begin(*waiter, Transaction::Kind::write);
    got = transaction.ok();
    queue.leave();
  });
  while (!std::filesystem::exists(lock_file())) std::this_thread::sleep_for(1ms);  // it stands in the queue now
  EXPECT_FALSE(got);
  ASSERT_TRUE(held->commit().ok());
  thread.join();
  EXPECT_TRUE(got);
  EXPECT_TRUE(queue.did_queue());
}

TEST_F(WriterQueueTest, AShortWaitLeavesNoFile) {
  WriterQueue queue(lock_file(), 10s);
  const auto connection = connect();
  queue.attach(connection->handle());
  ASSERT_TRUE(Transaction::begin(*connection, Transaction::Kind::write).ok());
  EXPECT_FALSE(std::filesystem::exists(lock_file()));
}

TEST_F(WriterQueueTest, PatienceEndsInBusy) {
  const auto holder = connect();
  const Result<Transaction> held = Transaction::begin(*holder, Transaction::Kind::write);
  ASSERT_TRUE(held.ok());
  WriterQueue queue(lock_file(), 150ms);
  const auto waiter = connect();
  queue.attach(waiter->handle());
  const Result<Transaction> refused = Transaction::begin(*waiter, Transaction::Kind::write);
  queue.leave();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::busy);
}

TEST_F(WriterQueueTest, ThoseInTheQueueAreServedInOrder) {
  const auto holder = connect();
  Result<Transaction> held = Transaction::begin(*holder, Transaction::Kind::write);
  ASSERT_TRUE(held.ok());

  std::vector<int> order;  // written by whoever holds SQLite's write lock
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) {
    std::atomic<bool> is_waiting = false;
    threads.emplace_back([&, number] {
      WriterQueue queue(lock_file(), 20s);
      const auto connection = connect();
      queue.attach(connection->handle());
      is_waiting = true;
      Result<Transaction> transaction = Transaction::begin(*connection, Transaction::Kind::write);
      queue.leave();
      ASSERT_TRUE(transaction.ok());
      EXPECT_TRUE(queue.did_queue());
      order.push_back(number);
      ASSERT_TRUE(transaction->commit().ok());
    });
    while (!is_waiting) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(250ms);  // it has its place before the next one comes
  }
  ASSERT_TRUE(held->commit().ok());
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace loci::embedded
