#include "tests/crash/worker_process.h"

#include <csignal>

#include <fcntl.h>
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

int work(const PalaceRef& palace, int worker, std::int64_t first, Defect defect, int pipe) {
  std::signal(SIGTERM, [](int) { stop_requested = 1; });
  const auto say = [&](std::int64_t step, Message::Kind kind) {
    const Message message{step, kind};
    if (::write(pipe, &message, sizeof message) != sizeof message) ::_exit(3);
  };
  const auto backend = make_embedded_backend();
  const auto collection = backend->collection(palace, "drawers", {});
  if (!collection.ok()) {
    say(first, Message::failed);
    return 1;
  }
  for (std::int64_t number = first; stop_requested == 0; ++number) {
    say(number, Message::begins);
    const Status done = Step(worker, number, defect).run(*backend, palace, **collection);
    say(number, done.ok() ? Message::acknowledged : Message::failed);
    if (!done.ok()) return 1;
  }
  return 0;
}

}  // namespace

WorkerProcess::WorkerProcess(const PalaceRef& palace, int worker, std::int64_t first, Defect defect) : first_(first) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  ::fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);  // a worker must not stop because nobody reads yet
  child_ = std::make_unique<ChildProcess>([&] {
    ::close(ends[0]);
    return work(palace, worker, first, defect, ends[1]);
  });
  ::close(ends[1]);
  pipe_ = ends[0];
}

WorkerProcess::~WorkerProcess() {
  if (pipe_ >= 0) ::close(pipe_);
}

bool WorkerProcess::kill_and_collect(Progress& progress) {
  const bool ended = child_ != nullptr && child_->kill() && child_->was_killed();
  collect(progress);
  return ended;
}

bool WorkerProcess::stop_and_collect(Progress& progress) {
  if (child_ != nullptr) child_->signal(SIGTERM);
  const bool ended = child_ != nullptr && child_->wait();
  collect(progress);
  return ended;
}

void WorkerProcess::collect(Progress& progress) const {
  progress = {.acknowledged = first_};
  Message message{};
  while (::read(pipe_, &message, sizeof message) == sizeof message) {
    progress.in_flight = message.kind == Message::begins;
    if (message.kind == Message::acknowledged) progress.acknowledged = message.step + 1;
    if (message.kind == Message::failed) progress.failed = true;
  }
}

}  // namespace loci::crash
