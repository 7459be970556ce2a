#include "cli/own_program.h"

#include <array>
#include <cerrno>
#include <chrono>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

namespace loci {
namespace {

constexpr const char* kOwnProgram = "/proc/self/exe";

struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return io_error("cannot make", "a pipe", errno);
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

// Not fork: that would copy the page tables of a large process, and the time would be held against the program.
Result<pid_t> start(const std::vector<std::string>& arguments, const Pipe& pipe) {
  std::string name = "loci";
  std::vector<char*> words{name.data()};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, pipe.write_end.get(), STDOUT_FILENO);
  pid_t child = 0;
  const int failure = ::posix_spawn(&child, kOwnProgram, &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) return io_error("cannot run", kOwnProgram, failure);
  return child;
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

Result<ProgramRun> run_own_program(const std::vector<std::string>& arguments) {
  Pipe pipe = TRY(make_pipe());
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = TRY(start(arguments, pipe));
  pipe.write_end.reset();
  ProgramRun run{.output = read_all(pipe.read_end.get())};
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return run;
  return Error{ErrorKind::internal, "this program, run anew, failed: " + run.output};
}

}  // namespace loci
