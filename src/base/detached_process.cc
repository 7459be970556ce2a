#include "base/detached_process.h"

#include <cerrno>
#include <csignal>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

namespace loci {
namespace {

constexpr int kNiceness = 10;
constexpr int kFirstOtherDescriptor = 4;  // after the standard streams and the pipe

// The kernel's numbers for ioprio_set(2). Its own header, linux/ioprio.h, is C only: it names a parameter "class".
constexpr int kOneProcess = 1;
constexpr int kOnlyWhenIdle = 3 << 13;

// From here to the exec only calls that are safe between fork and exec of a process with threads.
[[noreturn]] void become(const char* program, char* const* arguments, int report) {
  ::setpriority(PRIO_PROCESS, 0, kNiceness);
  ::syscall(SYS_ioprio_set, kOneProcess, 0, kOnlyWhenIdle);
  const int nothing = ::open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, stream);
  constexpr int kReport = 3;
  if (report != kReport) {
    ::dup2(report, kReport);
    report = kReport;
  }
  ::fcntl(report, F_SETFD, FD_CLOEXEC);
  ::syscall(SYS_close_range, kFirstOtherDescriptor, ~0U, 0);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::chdir("/") == 0) ::execv(program, arguments);
  const int failure = errno;
  static_cast<void>(!::write(report, &failure, sizeof failure));
  ::_exit(127);
}

}  // namespace

Result<std::filesystem::path> this_program() {
  std::error_code error;
  std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return io_error("cannot find the program itself,", "/proc/self/exe", error.value());
  return program;
}

Status start_detached(const std::filesystem::path& program, std::span<const std::string> arguments) {
  std::vector<char*> words = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return io_error("cannot start", program, errno);
  const FileDescriptor read_end(ends[0]);
  FileDescriptor write_end(ends[1]);

  // Twice, so that the program is the child of the first, which ends at once, and then of the system's first process.
  const pid_t between = ::fork();
  if (between < 0) return io_error("cannot start", program, errno);
  if (between == 0) {
    ::setsid();
    const pid_t child = ::fork();
    if (child == 0) become(program.c_str(), words.data(), write_end.get());
    const int failure = errno;
    if (child < 0) static_cast<void>(!::write(write_end.get(), &failure, sizeof failure));
    ::_exit(0);
  }
  write_end.reset();
  while (::waitpid(between, nullptr, 0) < 0 && errno == EINTR) continue;
  int failure = 0;
  ssize_t count = 0;
  do {
    count = ::read(read_end.get(), &failure, sizeof failure);  // ends when the exec has closed the other end
  } while (count < 0 && errno == EINTR);
  if (count == sizeof failure) return io_error("cannot start", program, failure);
  return {};
}

}  // namespace loci
