#include "tests/crash/worker_process.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/embedded/embedded_backend.h"
#include "tests/crash/workload.h"

namespace loci::crash {
namespace {

// One message on the pipe; smaller than PIPE_BUF, so it arrives whole or not at all.
struct Message {
  std::int64_t step;
  enum Kind : std::int64_t { begins, acknowledged, failed } kind;
};

volatile std::sig_atomic_t stop_requested = 0;

[[noreturn]] void work(const PalaceRef& palace, int worker, std::int64_t first, int pipe) {
  std::signal(SIGTERM, [](int) { stop_requested = 1; });
  const auto say = [&](std::int64_t step, Message::Kind kind) {
    const Message message{step, kind};
    if (::write(pipe, &message, sizeof message) != sizeof message) ::_exit(3);
  };
  const auto backend = make_embedded_backend();
  const auto collection = backend->collection(palace, "drawers", {});
  if (!collection.ok()) {
    say(first, Message::failed);
    ::_exit(1);
  }
  for (std::int64_t number = first; stop_requested == 0; ++number) {
    say(number, Message::begins);
    const Status done = Step(worker, number).run(**collection);
    say(number, done.ok() ? Message::acknowledged : Message::failed);
    if (!done.ok()) ::_exit(1);
  }
  ::_exit(0);
}

}  // namespace

WorkerProcess::WorkerProcess(const PalaceRef& palace, int worker, std::int64_t first) : worker_(worker), first_(first) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  ::fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);  // a worker must not stop because nobody reads yet
  child_ = ::fork();
  if (child_ == 0) {
    ::close(ends[0]);
    work(palace, worker, first, ends[1]);
  }
  ::close(ends[1]);
  pipe_ = ends[0];
}

WorkerProcess::~WorkerProcess() {
  if (child_ > 0) {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  if (pipe_ >= 0) ::close(pipe_);
}

bool WorkerProcess::kill_and_collect(Progress& progress) {
  ::kill(child_, SIGKILL);
  return collect(progress, SIGKILL);
}

bool WorkerProcess::stop_and_collect(Progress& progress) {
  ::kill(child_, SIGTERM);
  return collect(progress, 0);
}

bool WorkerProcess::collect(Progress& progress, int expected_signal) {
  int status = 0;
  const bool waited = ::waitpid(child_, &status, 0) == child_;
  child_ = -1;
  progress = {.acknowledged = first_};
  Message message{};
  while (::read(pipe_, &message, sizeof message) == sizeof message) {
    progress.in_flight = message.kind == Message::begins;
    if (message.kind == Message::acknowledged) progress.acknowledged = message.step + 1;
    if (message.kind == Message::failed) progress.failed = true;
  }
  if (expected_signal == 0) return waited && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return waited && WIFSIGNALED(status) && WTERMSIG(status) == expected_signal;
}

}  // namespace loci::crash
