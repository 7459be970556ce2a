#include "cli/interrupt.h"

#include <atomic>
#include <csignal>
#include <initializer_list>
#include <utility>

#include <unistd.h>

namespace loci {
namespace {

volatile std::sig_atomic_t interrupted = 0;
volatile std::sig_atomic_t is_awaited = 0;
std::atomic<const std::string*> last_answer = nullptr;
static_assert(std::atomic<const std::string*>::is_always_lock_free);  // else a signal handler may not read it

void on_signal(int signal_number) {
  if (is_awaited != 0 && interrupted == 0) {
    interrupted = 1;
    return;
  }
  if (const std::string* answer = last_answer.exchange(nullptr)) {
    [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, answer->data(), answer->size());
  }
  ::_exit(128 + signal_number);
}

}  // namespace

void install_interrupt_handlers() {
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
