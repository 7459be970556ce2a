// Writers that are killed at random moments, and the oracle that knows what the palace must hold after it.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "loci/backend.h"
#include "tests/crash/palace_check.h"
#include "tests/crash/worker_process.h"
#include "tests/crash/workload.h"

namespace loci::crash {

class KillHarness {
 public:
  KillHarness(PalaceRef palace, int workers, Defect defect = Defect::none);

  // Starts the workers, kills them one after the other and sometimes several at once, and compares what is there with
  // what must be. Returns what is wrong; empty when all is well.
  std::vector<std::string> kill_round(std::mt19937& random);
  // Lets the workers write undisturbed for a while, asks them to stop, and compares.
  std::vector<std::string> quiet_round(std::chrono::milliseconds duration);

  std::int64_t kills() const { return kills_; }
  std::int64_t acknowledged() const;
  // Of the worker that wrote least.
  std::int64_t fewest_acknowledged() const;

 private:
  using Workers = std::vector<std::unique_ptr<WorkerProcess>>;

  Workers start() const;
  std::vector<std::string> settle(const std::vector<Progress>& progress);
  // One worker's part; a step under way may have happened or not.
  void settle_worker(std::size_t worker, const Progress& progress, const Held& held, std::vector<std::string>& wrong);

  const PalaceRef palace_;
  const Defect defect_;
  std::vector<std::int64_t> next_;  // by worker: the first step that is not settled
  std::vector<State> expected_;     // by worker
  std::set<std::string> must_be_shared_;
  std::int64_t kills_ = 0;
};

}  // namespace loci::crash
