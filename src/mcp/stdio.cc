#include "mcp/stdio.h"

#include <cerrno>
#include <memory>
#include <string>
#include <string_view>

#include <unistd.h>

#include "base/file.h"
#include "base/mutex.h"
#include "mcp/connection.h"
#include "mcp/line_reader.h"
#include "mcp/server.h"
#include "mcp/sink.h"

namespace loci::mcp {
namespace {

class OutputSink final : public Sink {
 public:
  explicit OutputSink(int output) : output_(output) {}

  void send(const Json& message) override {
    const std::string line = to_text(message, JsonLayout::one_line) + "\n";
    const MutexLock lock(mutex_);
    std::string_view rest = line;
    while (!rest.empty() && !is_broken_) {
      const ssize_t written = ::write(output_, rest.data(), rest.size());
      if (written > 0) {
        rest.remove_prefix(static_cast<std::size_t>(written));
      } else if (errno != EINTR) {
        is_broken_ = true;  // nobody reads any more; the end of the input will tell us to go
      }
    }
  }
  void request_is_over() override {}

 private:
  const int output_;

  Mutex mutex_;
  bool is_broken_ GUARDED_BY(mutex_) = false;
};

}  // namespace

Status serve_stdio(Features& features, const StdioOptions& options) {
  const auto sink = std::make_shared<OutputSink>(options.output);
  const auto connection = std::make_shared<Connection>();
  connection->attach(sink);
  Server server(features);
  LineReader reader(options.input);
  bool is_first = true;
  while (true) {
    const LineReader::Line line = TRY(reader.next());
    if (line.state == LineReader::State::end) break;
    if (line.state == LineReader::State::too_long) {
      sink->send(error_message(
          nullptr, {kInvalidRequest, "the message is longer than " + std::to_string(kMaxMessageBytes) + " bytes"}));
      continue;
    }
    if (line.text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    server.receive_text(line.text, connection, sink);
    if (is_first && options.after_first_message) options.after_first_message();
    is_first = false;
  }
  server.finish();
  return ok_status();
}

}  // namespace loci::mcp
