#include "http/mcp_endpoint.h"

#include <utility>
#include <variant>

#include "http/mcp_headers.h"
#include "http/mcp_sinks.h"
#include "http/request_checks.h"

namespace loci::http {
namespace {

// Shorter messages are read quicker than another thread is asked to.
constexpr std::size_t kLongBodyBytes = std::size_t{64} << 10;
constexpr std::size_t kReaders = 2;
constexpr std::size_t kMostWaiting = 64;

Reply rpc_error_reply(int status, const Json& id, const mcp::RpcError& error) {
  return json_reply(status, to_text(mcp::error_message(id, error), JsonLayout::one_line));
}

Reply not_allowed(std::string allowed) {
  Reply reply = error_reply(405, "this method is not for this address");
  reply.headers.emplace_back("allow", std::move(allowed));
  return reply;
}

bool is_modern_header(const IncomingRequest& request) {
  return request.header("mcp-protocol-version") == mcp::kModernVersion;
}

// Of a legacy request; the header is missing before 2025-06-18 and in `initialize`.
std::optional<Reply> check_legacy_version(const IncomingRequest& request) {
  const std::optional<std::string_view> version = request.header("mcp-protocol-version");
  if (!version || mcp::is_legacy_version(*version)) return std::nullopt;
  return rpc_error_reply(
      400, nullptr, {.code = mcp::kInvalidRequest, .message = "the protocol version in the header is not supported"});
}

}  // namespace

McpEndpoint::McpEndpoint(mcp::Server& server, EndpointOptions options)
    : server_(server), options_(std::move(options)), sessions_(options_.sessions), readers_(kReaders, kMostWaiting) {}

std::optional<Reply> McpEndpoint::refuse(const IncomingRequest& head) {
  if (std::optional<Reply> refusal = check_origin(head)) return refusal;
  if (head.path == "/healthz") {
    if (head.method == "GET" || head.method == "HEAD") return std::nullopt;
    return not_allowed("GET, HEAD");
  }
  if (options_.token) {
    if (std::optional<Reply> refusal = check_token(head, *options_.token)) return refusal;
  }
  if (head.path != "/mcp") return error_reply(404, "there is nothing here; MCP is spoken at /mcp");
  if (head.method == "POST") return check_media_types(head);
  if ((head.method == "GET" || head.method == "DELETE") && !is_modern_header(head)) return std::nullopt;
  return not_allowed(is_modern_header(head) ? "POST" : "POST, GET, DELETE");
}

void McpEndpoint::handle(IncomingRequest request, std::shared_ptr<Responder> responder) {
  if (request.path == "/healthz") return responder->answer(json_reply(200, "{\"status\":\"ok\"}\n"));
  if (request.method == "GET") return listen(request, responder);
  if (request.method == "DELETE") return end_session(request, responder);
  if (request.body.size() < kLongBodyBytes) return post(request, responder);
  const auto shared = std::make_shared<const IncomingRequest>(std::move(request));
  if (readers_.submit([this, shared, responder] { post(*shared, responder); })) return;
  responder->answer(error_reply(503, "the server has too much to do; try again later"));
}

void McpEndpoint::post(const IncomingRequest& request, const std::shared_ptr<Responder>& responder) {
  Result<Json> json = parse_json(request.body, "the body");
  if (!json.ok())
    return responder->answer(
        rpc_error_reply(400, nullptr, {.code = mcp::kParseError, .message = json.error().message}));
  if (json->is_array()) return post_legacy(request, std::move(*json), false, responder);
  const std::variant<mcp::Message, mcp::Refusal> read = mcp::read_message(*json);
  if (const auto* refusal = std::get_if<mcp::Refusal>(&read))
    return responder->answer(rpc_error_reply(400, refusal->id, refusal->error));
  const auto& message = std::get<mcp::Message>(read);
  if (mcp::era_of(message) == mcp::Era::modern || is_modern_header(request))
    return post_modern(request, message, std::move(*json), responder);
  const bool opens_session = message.method == "initialize" && message.kind == mcp::Message::Kind::request;
  post_legacy(request, std::move(*json), opens_session, responder);
}

void McpEndpoint::post_modern(const IncomingRequest& request, const mcp::Message& message, Json json,
                              const std::shared_ptr<Responder>& responder) {
  // A modern client has nothing to say but requests; what it notifies of belongs to no request of this POST.
  if (message.kind != mcp::Message::Kind::request) return responder->answer({.status = 202});
  std::optional<mcp::RpcError> error = mcp::check_metadata(message);
  // A version that headers and body agree on is judged before the headers are.
  const bool is_unsupported = error && error->code == mcp::kUnsupportedVersion;
  if (!error || is_unsupported) {
    if (std::optional<mcp::RpcError> mismatch = check_standard_headers(request, message)) error = std::move(mismatch);
  }
  if (error) return responder->answer(rpc_error_reply(400, message.id, *error));
  std::shared_ptr<void> place;
  if (message.method == "subscriptions/listen") {
    place = take_place(responder);
    if (place == nullptr) return;
  }
  const auto connection = std::make_shared<mcp::Connection>();
  // Closing the stream is how a modern client cancels.
  responder->when_gone([this, connection, id = message.id, place] {
    const Json cancelled = mcp::notification("notifications/cancelled", {{"requestId", id}});
    server_.receive(cancelled, connection, nullptr);
    connection->close();
  });
  server_.receive(std::move(json), connection, std::make_shared<PostSink>(responder, mcp::Era::modern));
}

void McpEndpoint::post_legacy(const IncomingRequest& request, Json json, bool opens_session,
                              const std::shared_ptr<Responder>& responder) {
  if (const std::optional<Reply> refusal = check_legacy_version(request)) return responder->answer(*refusal);
  std::shared_ptr<mcp::Connection> connection;
  Headers headers;
  if (opens_session) {
    connection = std::make_shared<mcp::Connection>();
    sessions_.add(connection);
    headers.emplace_back("mcp-session-id", connection->id());
  } else {
    connection = session_of(request, responder);
    if (connection == nullptr) return;
  }
  const bool is_batch = json.is_array();
  const bool is_request = !is_batch && json.contains("id") && json.contains("method");
  const auto sink = std::make_shared<PostSink>(responder, mcp::Era::legacy, std::move(headers));
  server_.receive(std::move(json), connection, sink);
  if (!is_batch && !is_request) sink->request_is_over();
}

std::shared_ptr<mcp::Connection> McpEndpoint::session_of(const IncomingRequest& request,
                                                         const std::shared_ptr<Responder>& responder) {
  const std::optional<std::string_view> id = request.header("mcp-session-id");
  if (!id) {
    const mcp::RpcError error = {.code = mcp::kInvalidRequest,
                                 .message = "the header Mcp-Session-Id is missing; a session begins with initialize"};
    responder->answer(rpc_error_reply(400, nullptr, error));
    return nullptr;
  }
  std::shared_ptr<mcp::Connection> connection = sessions_.find(std::string(*id));
  if (connection == nullptr) {
    const mcp::RpcError error = {.code = mcp::kInvalidRequest, .message = "there is no such session; begin a new one"};
    responder->answer(rpc_error_reply(404, nullptr, error));
  }
  return connection;
}

void McpEndpoint::listen(const IncomingRequest& request, const std::shared_ptr<Responder>& responder) {
  if (!accepts(request, "text/event-stream"))
    return responder->answer(error_reply(406, "the header Accept must take text/event-stream"));
  if (const std::optional<Reply> refusal = check_legacy_version(request)) return responder->answer(*refusal);
  const std::shared_ptr<mcp::Connection> connection = session_of(request, responder);
  if (connection == nullptr) return;
  if (std::shared_ptr<void> place = take_place(responder)) sessions_.listen(connection, responder, std::move(place));
}

std::shared_ptr<void> McpEndpoint::take_place(const std::shared_ptr<Responder>& responder) {
  const std::shared_ptr<void> place(open_streams_.get(), [open = open_streams_](void*) { --*open; });
  if (++*open_streams_ <= options_.open_streams) return place;
  responder->answer(error_reply(503, "too many clients are listening; try again later"));
  return nullptr;
}

void McpEndpoint::end_session(const IncomingRequest& request, const std::shared_ptr<Responder>& responder) {
  if (session_of(request, responder) == nullptr) return;
  sessions_.remove(std::string(*request.header("mcp-session-id")));
  responder->answer({.status = 204});
}

void McpEndpoint::close() {
  sessions_.close_all();
  readers_.stop();
}

}  // namespace loci::http
