// The fair queue of writers: who waits for the palace's write lock, and how.
//
// SQLite's own busy timeout backs off further the longer one waits, so a patient writer starves behind eager ones
// (worst waits of seconds with 8 writers). Here every writer polls at a flat pace, which gives the best throughput; one
// that has waited 100 ms takes a place in a first-come-first-served queue of byte locks and polls faster once it is at
// the head. The queue is an aid only: correctness comes from SQLite's lock, and a member that dies leaves no trace,
// since the kernel drops its locks. Rejected: the queue for everyone (a third of the throughput), a plain flock
// (waits of more than a second).
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/file_lock.h"
#include "loci/result.h"

struct sqlite3;

namespace loci::embedded {

// One waiter, bound to one connection as its busy handler. Used by one thread at a time.
class WriterQueue {
 public:
  WriterQueue(std::filesystem::path lock_file, std::chrono::milliseconds patience)
      : lock_file_(std::move(lock_file)), patience_(patience) {}

  // Installs this object as the connection's busy handler; it must outlive the connection.
  void attach(sqlite3* handle);

  // The lock was got, or given up: makes room for the next in the queue.
  void leave();

  // How the last wait went: for tests and reports.
  bool did_queue() const { return did_queue_; }

 private:
  static int on_busy(void* self, int attempts);
  bool wait(int attempts);
  bool open_lock() noexcept;
  void join();
  bool is_head();

  const std::filesystem::path lock_file_;
  const std::chrono::milliseconds patience_;

  std::chrono::steady_clock::time_point started_;
  std::optional<LockFile> lock_;  // opened on the first long wait
  std::int64_t ticket_ = 0;       // our byte; 0: not in the queue
  std::int64_t predecessor_ = 0;  // the byte in front of us; 0: we are the head
  bool did_queue_ = false;
};

}  // namespace loci::embedded
