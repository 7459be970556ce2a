// A process that writes to a palace until it is killed, and says over a pipe what was acknowledged.
#pragma once

#include <cstdint>
#include <memory>

#include "loci/backend.h"
#include "tests/crash/child_process.h"
#include "tests/crash/workload.h"

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
  WorkerProcess(const PalaceRef& palace, int worker, std::int64_t first, Defect defect = Defect::none);
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess();

  // Kills it, waits for its end and reads what it said. True: it died of the kill and of nothing else.
  bool kill_and_collect(Progress& progress);
  // Asks it to stop after the current step, and waits for its end.
  bool stop_and_collect(Progress& progress);

 private:
  void collect(Progress& progress) const;

  std::int64_t first_;
  std::unique_ptr<ChildProcess> child_;
  int pipe_ = -1;
};

}  // namespace loci::crash
