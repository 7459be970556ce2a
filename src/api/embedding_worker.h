// The background worker of a palace: at most one process that gives their vectors to the drawers that wait for them.
//
// It holds a lock in the palace's folder while it works, which the kernel takes back however the process ends, and says
// in a small file how far it is. Correctness does not rest on it: rows are leased one by one, so that any number of
// `loci embed` may work beside it.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/session.h"
#include "base/file_lock.h"
#include "loci/collection.h"
#include "loci/result.h"

namespace loci {

struct WorkerState {
  bool is_at_work = false;
  std::size_t embedded = 0;  // by the worker that is at work
  double per_second = 0;     // 0: not known yet
  std::string error = {};    // what the last worker ended with; empty: nothing
};
// Reads only.
WorkerState worker_state(const std::filesystem::path& palace);

// Should the face start a worker now: are there drawers that wait, or is the index behind them, and is there an
// embedder, the wish to have it done in the background, and no worker yet? An error means no: what was asked for is
// done, and `status` tells what is wrong.
bool wants_worker(Session& session);

// The right to be the worker.
class WorkerSeat {
 public:
  // Nothing: another process has it. Errors: io.
  static Result<std::optional<WorkerSeat>> take(const std::filesystem::path& palace);

  // Says how far the work is, now and then; a failure to say so does not stop the work.
  void report(std::size_t embedded);
  // The file goes away with the work, unless it has an error to tell.
  void leave(const Status& outcome);

 private:
  using Clock = std::chrono::steady_clock;
  WorkerSeat(LockFile lock, std::filesystem::path palace);

  LockFile lock_;
  std::filesystem::path palace_;
  Clock::time_point start_;
  Clock::time_point next_report_;
};

// Embeds what waits in these collections until nothing is left, and says how many; 0 at once when another worker is
// there. They are asked for again and again: whoever stores something while the seat is taken relies on this worker,
// whatever the collection.
using ListQueues = std::function<Result<std::vector<std::shared_ptr<Collection>>>()>;
Result<std::size_t> work_in_background(const std::filesystem::path& palace, const ListQueues& queues);

}  // namespace loci
