#include "mcp/batch.h"

#include <variant>

#include "mcp/protocol.h"

namespace loci::mcp {

std::size_t count_requests(const Json& batch) {
  std::size_t count = 0;
  for (const Json& json : batch) {
    const std::variant<Message, Refusal> read = read_message(json);
    const auto* message = std::get_if<Message>(&read);
    if (message == nullptr || message->kind == Message::Kind::request) ++count;
  }
  return count;
}

void BatchSink::send(const Json& message) {
  if (message.contains("method")) return sink_->send(message);
  const MutexLock lock(mutex_);
  responses_.push_back(message);
}

void BatchSink::request_is_over() {
  MutexLock lock(mutex_);
  if (left_ == 0 || --left_ > 0) return;
  const Json responses = std::move(responses_);
  lock.unlock();
  if (!responses.empty()) sink_->send(responses);
  sink_->request_is_over();
}

}  // namespace loci::mcp
