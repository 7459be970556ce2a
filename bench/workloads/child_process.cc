#include "bench/workloads/child_process.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/workloads/measure.h"

namespace loci::bench {
namespace {

enum class Trace { no, yes };

// vfork would be a little faster, but the same for all programs that are compared.
Result<pid_t> start(const std::vector<std::string>& command, Trace trace) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0) return Error{ErrorKind::io, std::string("fork: ") + std::strerror(errno)};
  if (child == 0) {
    const int nowhere = ::open("/dev/null", O_RDWR);
    ::dup2(nowhere, STDIN_FILENO);
    ::dup2(nowhere, STDOUT_FILENO);
    if (trace == Trace::yes) ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    ::execv(arguments.front(), arguments.data());
    ::_exit(127);
  }
  return child;
}

Status check_exit(const std::vector<std::string>& command, int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return ok_status();
  std::string text;
  for (const std::string& word : command) text += word + " ";
  return Error{ErrorKind::internal, text + "failed with status " + std::to_string(status)};
}

std::int64_t private_bytes_of(pid_t process) {
  std::ifstream rollup("/proc/" + std::to_string(process) + "/smaps_rollup");
  std::int64_t kilobytes = 0;
  for (std::string line; std::getline(rollup, line);) {
    if (line.starts_with("Private_")) kilobytes += std::atoll(line.c_str() + line.find(':') + 1);
  }
  return kilobytes * 1024;
}

}  // namespace

Result<double> run_seconds(const std::vector<std::string>& command) {
  const Stopwatch stopwatch;
  const pid_t child = TRY(start(command, Trace::no));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const double seconds = stopwatch.seconds();
  TRY(check_exit(command, status));
  return seconds;
}

// A command is over before anyone could look, so the kernel is asked to stop it at its exit, memory still in place.
Result<MemoryUse> run_memory(const std::vector<std::string>& command) {
  const pid_t child = TRY(start(command, Trace::yes));
  MemoryUse use;
  int status = 0;
  rusage usage{};
  bool is_started = false;
  while (::wait4(child, &status, __WALL, &usage) == child && WIFSTOPPED(status)) {
    if (!is_started) ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL);
    const bool is_exit = status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8);
    if (is_exit) use.private_bytes = private_bytes_of(child);
    // The stop after execve is ours; other signals are the program's own.
    const int signal = is_exit || !is_started ? 0 : WSTOPSIG(status);
    is_started = true;
    ::ptrace(PTRACE_CONT, child, nullptr, signal);
  }
  use.peak_bytes = usage.ru_maxrss * 1024;
  TRY(check_exit(command, status));
  if (use.private_bytes == 0)
    return Error{ErrorKind::internal, "the memory of " + command.front() + " could not be read"};
  return use;
}

}  // namespace loci::bench
