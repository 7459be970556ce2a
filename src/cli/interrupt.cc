#include "cli/interrupt.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <initializer_list>
#include <utility>

#include <unistd.h>

namespace loci {
namespace {

// For a server that works: what is being written should be known to be stored.
constexpr std::chrono::seconds kTimeToAnswer{2};

volatile std::sig_atomic_t interrupted = 0;
volatile std::sig_atomic_t is_awaited = 0;
std::atomic<StopTime*> waits_until = nullptr;
std::atomic<const std::string*> last_answer = nullptr;
// Else a signal handler may not use them.
static_assert(std::atomic<const std::string*>::is_always_lock_free);
static_assert(std::atomic<StopTime::Clock::time_point>::is_always_lock_free);

void on_signal(int signal_number) {
  if (is_awaited != 0 && interrupted == 0) {
    interrupted = 1;
    if (StopTime* const stop = waits_until) stop->stop_by(StopTime::Clock::now() + kTimeToAnswer);
    return;
  }
  if (const std::string* answer = last_answer.exchange(nullptr)) {
    [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, answer->data(), answer->size());
  }
  ::_exit(128 + signal_number);
}

}  // namespace

void install_interrupt_handlers(StopTime& stop) {
  waits_until = &stop;
  // A reader that has seen enough ends us quietly, also when whoever started us ignores the signal.
  std::signal(SIGPIPE, SIG_DFL);
  struct sigaction action = {};
  action.sa_handler = on_signal;
  for (const int signal_number : {SIGINT, SIGTERM}) {
    struct sigaction before = {};
    // One that was ignored when we started stays so: nohup and background jobs mean it.
    if (::sigaction(signal_number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    ::sigaction(signal_number, &action, nullptr);
  }
}

void await_interrupt() { is_awaited = 1; }

bool was_interrupted() { return interrupted != 0; }

void answer_on_interrupt(std::string answer) {
  static std::string kept;
  last_answer = nullptr;  // no signal reads it while it changes
  kept = std::move(answer);
  if (!kept.empty()) last_answer = &kept;
}

}  // namespace loci
