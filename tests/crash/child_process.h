// A process of ours that a test starts and, as a rule, kills.
#pragma once

#include <functional>

#include <sys/types.h>

namespace loci::crash {

// Forks; the parent must have no palace open, since SQLite's connections do not survive a fork. Kills the child when it
// is destroyed.
class ChildProcess {
 public:
  // The child runs `work` and ends with what it returns.
  explicit ChildProcess(const std::function<int()>& work);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  // True: it died of this kill, or had ended well before it.
  bool kill();
  // Sends a signal and does not wait.
  void signal(int number) const;
  // Waits for its end. True: it ended with 0.
  bool wait();
  bool was_killed() const { return was_killed_; }

 private:
  pid_t child_ = -1;
  bool was_killed_ = false;
};

}  // namespace loci::crash
