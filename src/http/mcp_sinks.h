// Where the messages of the MCP server go over HTTP. Any thread may use them.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "http/message.h"
#include "mcp/protocol.h"
#include "mcp/sink.h"

namespace loci::http {

// The head of an answer that is a stream of events.
Reply event_stream_head();

// The answer to one POST. A response that comes first is the whole answer, as JSON; if anything else comes before it,
// the answer is a stream.
class PostSink final : public mcp::Sink {
 public:
  // The headers go along with the answer.
  PostSink(std::shared_ptr<Responder> responder, mcp::Era era, Headers headers = {})
      : responder_(std::move(responder)), era_(era), headers_(std::move(headers)) {}

  void send(const Json& message) override EXCLUDES(mutex_);
  // Without any message before it: what came needed no answer (202), or was cancelled.
  void request_is_over() override EXCLUDES(mutex_);

 private:
  const std::shared_ptr<Responder> responder_;
  const mcp::Era era_;
  const Headers headers_;

  Mutex mutex_;
  bool is_stream_ GUARDED_BY(mutex_) = false;
  bool is_answered_ GUARDED_BY(mutex_) = false;
};

// The stream of a GET.
class ListenSink final : public mcp::Sink {
 public:
  explicit ListenSink(std::shared_ptr<Responder> responder) : responder_(std::move(responder)) {}

  void send(const Json& message) override;
  void request_is_over() override {}

 private:
  const std::shared_ptr<Responder> responder_;
};

}  // namespace loci::http
