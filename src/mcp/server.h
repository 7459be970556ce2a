// The Model Context Protocol, whatever carries it: takes a client's messages one by one and answers into sinks.
//
// How a transport uses it
//
// stdio: one Connection and one Sink for the whole process; the sink is attached to the connection; each line goes to
// receive_text. At the end of the input: finish().
//
// HTTP, POST with one message (parse_json, then read_message, to compare it with the headers):
//  - modern (MCP-Protocol-Version: 2026-07-28, or era_of says so): a new Connection for each request; check_metadata
//    first, its error goes out with status 400. When the client closes the stream: Connection::close().
//  - legacy: `initialize` without a session gets a new Connection, whose id() is the session id to send back in
//    MCP-Session-Id with the result; later requests bring it along and use the same Connection. An unknown id is 404.
//    DELETE ends the session: Connection::close(). GET opens a stream for messages that belong to no request:
//    Connection::attach. A client that hangs up a POST does not cancel; it sends notifications/cancelled.
//  - the Sink is that of the POST: when the response is the first message it gets, it is answered as application/json
//    with status http_status(response); when anything else comes first, as text/event-stream. request_is_over ends it;
//    a request that was cancelled ends without a response. Notifications and responses of the client are 202, at once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json.h"
#include "base/function_ref.h"
#include "base/mutex.h"
#include "mcp/connection.h"
#include "mcp/features.h"
#include "mcp/protocol.h"
#include "mcp/sink.h"
#include "mcp/subscriptions.h"
#include "mcp/tasks.h"
#include "mcp/workers.h"

namespace loci::mcp {

enum class ListKind { tools, prompts, resources };

// With quick requests of which too many wait already.
enum class WhenBusy {
  refuse,
  wait,  // receive returns later, which keeps a client waiting that is alone with the server
};

// Many threads may use it at once. Requests that take time are run by threads of the server; the rest is answered
// before receive returns.
class Server final : public ResourceListener {
 public:
  // The features outlive the server.
  explicit Server(Features& features, WhenBusy when_busy = WhenBusy::refuse);
  // As stop().
  ~Server() override;
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // One message, or a batch where the negotiated version has them. Each request gets one response through `sink`,
  // unless it is cancelled.
  void receive(Json message, const std::shared_ptr<Connection>& connection, const std::shared_ptr<Sink>& sink);
  // The same for a message that is still text.
  void receive_text(std::string_view text, const std::shared_ptr<Connection>& connection,
                    const std::shared_ptr<Sink>& sink);

  // For a transport that holds messages back while too many quick requests wait: do they, and until when? A
  // cancellation among what is held back is also for what came before, and is heard at once; other messages are not.
  bool has_room() { return workers_.has_room(Lane::quick); }
  void wait_for_room() { workers_.wait_for_room(Lane::quick); }
  void hear_cancellation(std::string_view text, Connection& connection);

  bool knows_method(std::string_view method, Era era) const;

  // Tells all clients that want to know.
  void list_changed(ListKind kind);
  void resources_changed(FunctionRef<bool(const std::string& uri)> has_changed) override;
  void resource_list_changed() override { list_changed(ListKind::resources); }

  // Waits for quick requests that have come, cancels long ones, and ends all subscriptions.
  void finish();
  // Cancels everything and waits for the threads.
  void stop();

 private:
  void receive_message(Message message, const std::shared_ptr<Connection>& connection,
                       const std::shared_ptr<Sink>& sink);
  void receive_batch(Json batch, const std::shared_ptr<Connection>& connection, const std::shared_ptr<Sink>& sink);
  void receive_request(Message message, const std::shared_ptr<Connection>& connection,
                       const std::shared_ptr<Sink>& sink);
  void receive_notification(const Message& message, Connection& connection);
  void listen(const std::shared_ptr<Call>& call);
  void run(const std::shared_ptr<Call>& call);
  void run_later(const std::shared_ptr<Call>& call, Lane lane);
  void answer(const Call& call, Reply reply);

  Reply reply_to(const std::shared_ptr<Call>& call);
  Reply initialize(Call& call);
  Reply discover(Call& call);
  Reply list_tools(Call& call);
  Reply call_tool(const std::shared_ptr<Call>& call);
  Reply read_resource(Call& call);
  Reply subscribe(Call& call);
  Json capabilities(Era era) const;
  Reply begin_task(const Call& call, const std::string& name, Json arguments);
  const Tool* find_tool(std::string_view name) const;  // null: there is none
  static bool becomes_task(const Tool& tool, const Call& call);
  Lane lane_of(const Call& call) const;
  void remember(const std::shared_ptr<Connection>& connection);
  std::vector<std::shared_ptr<Connection>> connections();

  // Constant after construction.
  Features& features_;
  const WhenBusy when_busy_;
  const Identity identity_;
  const Abilities abilities_;
  const std::vector<Tool> tools_;

  Subscriptions subscriptions_;
  Tasks tasks_;
  Mutex mutex_;
  std::vector<std::weak_ptr<Connection>> connections_ GUARDED_BY(mutex_);
  Workers workers_;  // the last: its threads end before what they use
};

}  // namespace loci::mcp
