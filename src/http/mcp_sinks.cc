#include "http/mcp_sinks.h"

#include "http/sse.h"

namespace loci::http {
namespace {

// In the legacy era a request that was understood is answered with 200 whatever became of it: 404 would say that the
// session is over.
int status_of(const Json& response, mcp::Era era) {
  const int status = mcp::http_status(response);
  return era == mcp::Era::legacy && status == 404 ? 200 : status;
}

}  // namespace

Reply event_stream_head() {
  return {.status = 200, .headers = {{"content-type", "text/event-stream"}, {"x-accel-buffering", "no"}}};
}

void PostSink::send(const Json& message) {
  const std::string text = to_text(message, JsonLayout::one_line);
  const bool is_response = message.is_array() || !message.contains("method");
  const MutexLock lock(mutex_);
  if (is_answered_) return;
  if (is_response && !is_stream_) {
    Reply reply = json_reply(status_of(message, era_), text);
    reply.headers.insert(reply.headers.end(), headers_.begin(), headers_.end());
    is_answered_ = true;
    return responder_->answer(std::move(reply));
  }
  if (!is_stream_) {
    is_stream_ = true;
    Reply head = event_stream_head();
    head.headers.insert(head.headers.end(), headers_.begin(), headers_.end());
    responder_->begin(std::move(head));
  }
  responder_->send(sse_event(text));
}

void PostSink::request_is_over() {
  const MutexLock lock(mutex_);
  if (is_answered_) return;
  is_answered_ = true;
  if (is_stream_) return responder_->end();
  responder_->answer({.status = 202});
}

void ListenSink::send(const Json& message) { responder_->send(sse_event(to_text(message, JsonLayout::one_line))); }

}  // namespace loci::http
