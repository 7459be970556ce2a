#include "mcp/stdio.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <deque>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <poll.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mutex.h"
#include "mcp/connection.h"
#include "mcp/line_reader.h"
#include "mcp/server.h"
#include "mcp/sink.h"

namespace loci::mcp {
namespace {

using Clock = std::chrono::steady_clock;

// So much goes without blocking into a pipe that has room at all.
constexpr std::size_t kPieceBytes = PIPE_BUF;
constexpr std::chrono::milliseconds kLookEvery{200};
constexpr std::chrono::milliseconds kReleaseEvery{10};

// The output may be shared with others, so that it stays as it is, blocking: only what fits is written, and whoever
// waits for room also looks at the input, which nobody reads meanwhile.
class OutputSink final : public Sink {
 public:
  explicit OutputSink(const StdioOptions& options)
      : input_(options.input), output_(options.output), patience_(options.patience) {}

  void send(const Json& message) override {
    const std::string line = to_text(message, JsonLayout::one_line) + "\n";
    const MutexLock lock(mutex_);
    std::string_view rest = line;
    while (!rest.empty() && !is_broken_) {
      // A reader that is woken by the first piece of a line only goes to sleep again.
      if (write_all_there_is_room_for(rest)) continue;
      // Nobody reads any more when it fails; the end of the input will tell us to go.
      is_broken_ = !has_room() || !write_some(rest);
    }
  }
  void request_is_over() override {}

  void input_has_ended() { has_input_ended_ = true; }

 private:
  bool write_all_there_is_room_for(std::string_view& rest) {
    const ssize_t written = write_without_waiting(output_, rest);
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
    return written > 0;
  }

  bool write_some(std::string_view& rest) {
    const ssize_t written = ::write(output_, rest.data(), std::min(rest.size(), kPieceBytes));
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
    return written > 0 || errno == EINTR;
  }

  // Waits for it. False: the input has ended, and nobody has read for as long as we have patience.
  bool has_room() {
    std::optional<Clock::time_point> deadline;
    while (true) {
      if (has_input_ended_ && !deadline) deadline = Clock::now() + patience_;
      if (deadline && Clock::now() >= *deadline) return false;
      pollfd files[] = {{.fd = output_, .events = POLLOUT, .revents = 0},
                        {.fd = has_input_ended_ ? -1 : input_, .events = POLLRDHUP, .revents = 0}};
      if (::poll(files, std::size(files), static_cast<int>(kLookEvery.count())) < 0) {
        if (errno != EINTR) return true;
        continue;
      }
      if (files[0].revents != 0) return true;
      if (files[1].revents != 0) has_input_ended_ = true;
    }
  }

  // Constant after construction.
  const int input_;
  const int output_;
  const std::chrono::milliseconds patience_;

  std::atomic<bool> has_input_ended_ = false;
  Mutex mutex_;
  bool is_broken_ GUARDED_BY(mutex_) = false;
};

// Hands messages to the server, and holds them back while too many requests wait there. Of those only cancellations are
// heard before their turn, since what they are for may be under way.
class Intake {
 public:
  Intake(Server& server, std::shared_ptr<Connection> connection, std::shared_ptr<Sink> sink)
      : server_(server), connection_(std::move(connection)), sink_(std::move(sink)) {}

  bool is_holding() const { return !held_.empty(); }

  void take(std::string_view text) {
    while (held_bytes_ > kMaxMessageBytes) wait_and_release();
    if (held_.empty() && server_.has_room()) return server_.receive_text(text, connection_, sink_);
    server_.hear_cancellation(text, *connection_);
    held_bytes_ += text.size();
    held_.emplace_back(text);
  }

  // What there is room for.
  void release() {
    while (!held_.empty() && server_.has_room()) {
      server_.receive_text(held_.front(), connection_, sink_);
      held_bytes_ -= held_.front().size();
      held_.pop_front();
    }
  }

  void wait_and_release() {
    server_.wait_for_room();
    release();
  }

 private:
  Server& server_;
  const std::shared_ptr<Connection> connection_;
  const std::shared_ptr<Sink> sink_;
  std::deque<std::string> held_;
  std::size_t held_bytes_ = 0;
};

}  // namespace

Status serve_stdio(Features& features, const StdioOptions& options) {
  const auto sink = std::make_shared<OutputSink>(options);
  const auto connection = std::make_shared<Connection>();
  connection->attach(sink);
  Server server(features, WhenBusy::wait);
  LineReader reader(options.input);
  Intake intake(server, connection, sink);
  bool is_first = true;
  while (true) {
    intake.release();
    if (intake.is_holding() && !reader.has_input(kReleaseEvery)) continue;
    const LineReader::Line line = TRY(reader.next());
    if (line.state == LineReader::State::end) break;
    if (line.state == LineReader::State::too_long) {
      sink->send(error_message(
          nullptr, {kInvalidRequest, "the message is longer than " + std::to_string(kMaxMessageBytes) + " bytes"}));
      continue;
    }
    if (line.text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    intake.take(line.text);
    if (is_first && options.after_first_message) options.after_first_message();
    is_first = false;
  }
  sink->input_has_ended();
  if (options.at_end_of_input) options.at_end_of_input();
  while (intake.is_holding()) intake.wait_and_release();
  server.finish();
  return ok_status();
}

}  // namespace loci::mcp
