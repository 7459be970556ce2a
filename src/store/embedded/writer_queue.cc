#include "store/embedded/writer_queue.h"

#include <new>
#include <thread>

#include <sqlite3.h>

namespace loci::embedded {
namespace {

using namespace std::chrono_literals;

constexpr auto kPace = 500us;      // of everyone
constexpr auto kHeadPace = 100us;  // of the one whose turn it is
constexpr auto kQueueAfter = 100ms;
constexpr std::int64_t kDoor = 0;  // the byte that is held while a place is taken

}  // namespace

void WriterQueue::attach(sqlite3* handle) { sqlite3_busy_handler(handle, on_busy, this); }

int WriterQueue::on_busy(void* self, int attempts) { return static_cast<WriterQueue*>(self)->wait(attempts) ? 1 : 0; }

bool WriterQueue::wait(int attempts) {
  const auto now = std::chrono::steady_clock::now();
  if (attempts == 0) {
    started_ = now;
    did_queue_ = false;
  }
  if (now - started_ > patience_) return false;
  if (ticket_ == 0 && now - started_ >= kQueueAfter) join();
  if (ticket_ == 0) {
    std::this_thread::sleep_for(kPace);
    return true;
  }
  while (!is_head()) {
    if (std::chrono::steady_clock::now() - started_ > patience_) return false;
    std::this_thread::sleep_for(kPace);
  }
  std::this_thread::sleep_for(kHeadPace);
  return true;
}

// Without a lock file (or memory for it: SQLite, which calls this, is C) one simply goes on polling.
bool WriterQueue::open_lock() noexcept {
  if (lock_) return true;
  try {
    Result<LockFile> opened = LockFile::open(lock_file_);
    if (opened.ok()) lock_.emplace(std::move(*opened));
  } catch (const std::bad_alloc&) {
    return false;
  }
  return lock_.has_value();
}

// Takes the byte behind the last one that is locked.
void WriterQueue::join() {
  if (!open_lock()) return;
  if (!lock_->try_lock(kDoor)) return;  // someone else is taking a place; the next poll tries again
  std::int64_t last = 0;
  while (const auto locked = lock_->first_locked(last + 1)) last = *locked;
  if (lock_->try_lock(last + 1)) {
    ticket_ = last + 1;
    predecessor_ = last;
    did_queue_ = true;
  }
  lock_->unlock(kDoor);
}

bool WriterQueue::is_head() {
  if (predecessor_ == 0) return true;
  // Its byte is free once it has had its turn, or died.
  if (!lock_->try_lock(predecessor_)) return false;
  lock_->unlock(predecessor_);
  predecessor_ = 0;
  return true;
}

void WriterQueue::leave() {
  if (ticket_ != 0) lock_->unlock(ticket_);
  ticket_ = 0;
  predecessor_ = 0;
}

}  // namespace loci::embedded
