#include "base/filter_process.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

namespace loci {
namespace {

using Clock = std::chrono::steady_clock;

Error failed(const std::string& what, int error) { return {ErrorKind::io, what + ": " + std::strerror(error)}; }

// The input as a file without a name: no pipe to fill while the output is read, and none to break.
Result<FileDescriptor> input_file(std::string_view input) {
  FileDescriptor file(::memfd_create("loci-filter", MFD_CLOEXEC));
  if (!file.is_open()) return failed("no memory for a file", errno);
  while (!input.empty()) {
    const ssize_t count = ::write(file.get(), input.data(), input.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed("no memory for a file", errno);
    input.remove_prefix(static_cast<std::size_t>(count));
  }
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    static_cast<void>(wait());
  }

  void limit(const FilterRun& run) const {
    const rlimit memory = {run.memory_bytes, run.memory_bytes};
    const rlimit time = {run.seconds, run.seconds};
    const rlimit no_core = {0, 0};
    ::prlimit(pid_, RLIMIT_AS, &memory, nullptr);
    ::prlimit(pid_, RLIMIT_CPU, &time, nullptr);
    ::prlimit(pid_, RLIMIT_CORE, &no_core, nullptr);
  }

  // The status of its end.
  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = 0;
    return status;
  }

 private:
  pid_t pid_;
};

Result<pid_t> start(const std::vector<std::string>& command, int input, int output) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  std::array<char*, 1> no_environment = {nullptr};

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, words[0], &actions, nullptr, words.data(), no_environment.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) return Error{ErrorKind::not_found, "there is no program " + command.front()};
  if (error != 0) return failed("cannot run " + command.front(), error);
  return pid;
}

Result<std::string> read_output(int descriptor, const FilterRun& run) {
  const Clock::time_point end = Clock::now() + std::chrono::seconds(run.seconds);
  std::string output;
  std::array<char, 65536> buffer = {};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return Error{ErrorKind::invalid_argument, run.command.front() + " takes too long"};
    pollfd ready = {descriptor, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(left)) <= 0) continue;  // the clock decides
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed("cannot read from " + run.command.front(), errno);
    if (count == 0) return output;
    if (output.size() + static_cast<std::size_t>(count) > run.output_bytes)
      return Error{ErrorKind::invalid_argument, run.command.front() + " gives more than is taken"};
    output.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

Result<std::string> run_filter(const FilterRun& run) {
  const FileDescriptor input = TRY(input_file(run.input));
  std::array<int, 2> ends = {-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return failed("cannot make a pipe", errno);
  const FileDescriptor read_end(ends[0]);
  FileDescriptor write_end(ends[1]);

  Child child(TRY(start(run.command, input.get(), write_end.get())));
  child.limit(run);              // a moment after it began, which is too short to do harm in
  write_end = FileDescriptor();  // the child has the only one now, so its end is the end of the output
  std::string output = TRY(read_output(read_end.get(), run));
  const int status = child.wait();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return Error{ErrorKind::corruption, run.command.front() + " cannot read it"};
  return output;
}

}  // namespace loci
