// The Model Context Protocol over HTTP (Streamable HTTP), both eras at one address:
//   POST /mcp    a message; answered by JSON or by a stream of events
//   GET /mcp     a legacy session's stream for messages that belong to no request
//   DELETE /mcp  the end of a legacy session
//   GET /healthz whether the server is there; needs no token
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "http/mcp_sessions.h"
#include "http/message.h"
#include "http/worker_pool.h"
#include "mcp/server.h"

namespace loci::http {

struct EndpointOptions {
  std::optional<std::string> token = {};  // none: everybody on this machine may ask
  std::size_t sessions = 1000;
  std::size_t open_streams = 128;  // of clients that only listen; fewer than connections, so that others have room
};

class McpEndpoint final : public RequestHandler {
 public:
  // The server outlives the endpoint.
  McpEndpoint(mcp::Server& server, EndpointOptions options);

  std::optional<Reply> refuse(const IncomingRequest& head) override;
  void handle(IncomingRequest request, std::shared_ptr<Responder> responder) override;

  // Ends all sessions and waits for the threads that read long messages. Call it when the HTTP server has stopped.
  void close();

 private:
  void post(const IncomingRequest& request, const std::shared_ptr<Responder>& responder);
  void post_modern(const IncomingRequest& request, const mcp::Message& message, Json json,
                   const std::shared_ptr<Responder>& responder);
  void post_legacy(const IncomingRequest& request, Json json, bool opens_session,
                   const std::shared_ptr<Responder>& responder);
  void listen(const IncomingRequest& request, const std::shared_ptr<Responder>& responder);
  void end_session(const IncomingRequest& request, const std::shared_ptr<Responder>& responder);
  // A place among the streams of those who only listen, taken as long as somebody holds it. Null: it was answered that
  // all are taken.
  std::shared_ptr<void> take_place(const std::shared_ptr<Responder>& responder);
  // The session that the request names. Null: it was answered why not.
  std::shared_ptr<mcp::Connection> session_of(const IncomingRequest& request,
                                              const std::shared_ptr<Responder>& responder);

  mcp::Server& server_;
  const EndpointOptions options_;
  const std::shared_ptr<std::atomic<std::size_t>> open_streams_ = std::make_shared<std::atomic<std::size_t>>(0);
  McpSessions sessions_;
  WorkerPool readers_;
};

}  // namespace loci::http
