#include "tests/crash/child_process.h"

#include <csignal>
#include <cstdlib>

#include <sys/wait.h>
#include <unistd.h>

namespace loci::crash {

ChildProcess::ChildProcess(const std::function<int()>& work) : child_(::fork()) {
  if (child_ != 0) return;
  ::_exit(work());
}

ChildProcess::~ChildProcess() {
  if (child_ <= 0) return;
  ::kill(child_, SIGKILL);
  ::waitpid(child_, nullptr, 0);
}

void ChildProcess::signal(int number) const { ::kill(child_, number); }

bool ChildProcess::kill() {
  signal(SIGKILL);
  int status = 0;
  const bool waited = ::waitpid(child_, &status, 0) == child_;
  child_ = -1;
  was_killed_ = waited && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  return was_killed_ || (waited && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

bool ChildProcess::wait() {
  int status = 0;
  const bool waited = ::waitpid(child_, &status, 0) == child_;
  child_ = -1;
  return waited && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace loci::crash
