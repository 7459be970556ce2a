// Work in processes of its own that is killed again and again, for the tests of this folder.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "loci/backend.h"
#include "tests/crash/child_process.h"
#include "tests/crash/effort.h"
#include "tests/fast_folder.h"

namespace loci::crash {

struct KilledWork {
  int processes = 1;
  std::int64_t kills = 30;
  std::function<void()> prepare;         // before each round
  std::function<int(int process)> work;  // in each process; ends with 0
  std::function<void()> check;           // sees what the killed processes left
  std::string_view what;                 // "while drawers were embedded"
};

class KilledWorkTest : public testing::Test {
 protected:
  void SetUp() override {
    seed_ = test_seed();
    random_.seed(seed_);
  }

  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }
  PalaceRef ref(const std::string& name) const { return PalaceRef::at(path(name)); }

  void copy_whole_to(const std::string& name) const {
    std::filesystem::remove_all(path(name));
    std::filesystem::copy(path("whole"), path(name));
  }

  // Starts the processes, kills each after a random time, and has the result checked; again and again. What ended
  // before its kill does not count, and the time it takes is learnt, so that most are hit under way.
  void kill_often(const KilledWork& killed) {
    constexpr std::int64_t kTries = 4000;
    SCOPED_TRACE(seed_trace(seed_));
    Effort kills(killed.kills);
    double window_us = 20'000;
    for (std::int64_t tries = 0; !kills.is_enough(); ++tries) {
      ASSERT_LT(tries, kTries + kills.done() * 20) << "the work is over too soon to be killed";
      killed.prepare();
      std::vector<std::unique_ptr<ChildProcess>> children;
      for (int i = 0; i < killed.processes; ++i)
        children.push_back(std::make_unique<ChildProcess>([&killed, i] { return killed.work(i); }));
      for (const auto& child : children) {
        std::this_thread::sleep_for(std::chrono::microseconds(random_() % static_cast<unsigned>(window_us)));
        ASSERT_TRUE(child->kill()) << "a process failed by itself";
        kills.add(child->was_killed() ? 1 : 0);
        window_us = std::max(500.0, window_us * (child->was_killed() ? 1.02 : 0.9));
      }
      killed.check();
      if (HasFailure()) return;
    }
    kills.report("kills", killed.what);
  }

  const TemporaryFolder folder_ = fast_folder();
  unsigned seed_ = 0;
  std::mt19937 random_;
};

}  // namespace loci::crash
