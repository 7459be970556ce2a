// A process that writes to a palace until it is killed, and says over a pipe what was acknowledged.
#pragma once

#include <cstdint>
#include <functional>

#include <sys/types.h>

#include "loci/backend.h"

namespace loci::crash {

// How the last steps of a worker ended, as its pipe tells.
struct Progress {
  std::int64_t acknowledged = 0;  // steps below this number were acknowledged
  bool in_flight = false;         // the step of that number had begun
  bool failed = false;            // a step gave an error; no step may
};

class WorkerProcess {
 public:
  // Forks; the child runs steps from `first` on. The parent must have no palace open.
  WorkerProcess(const PalaceRef& palace, int worker, std::int64_t first);
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess();

  // Kills it, waits for its end and reads what it said. True: it died of the kill and of nothing else.
  bool kill_and_collect(Progress& progress);
  // Asks it to stop after the current step, and waits for its end.
  bool stop_and_collect(Progress& progress);

 private:
  bool collect(Progress& progress, int expected_signal);

  int worker_;
  std::int64_t first_;
  pid_t child_ = -1;
  int pipe_ = -1;
};

}  // namespace loci::crash
