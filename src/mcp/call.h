// One request that is being worked on: what a tool, a resource or a prompt may know of it, and say meanwhile.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/json.h"
#include "mcp/connection.h"
#include "mcp/protocol.h"
#include "mcp/sink.h"

namespace loci::mcp {

// Lives as long as the request. Used by one thread at a time, but for is_cancelled.
class Call {
 public:
  // A task goes on when the client that began it has left, and tells its progress by its status.
  using TellProgress = std::function<void(const std::string& message)>;

  Call(Message message, std::shared_ptr<Connection> connection, std::shared_ptr<Sink> sink,
       std::shared_ptr<CancelFlag> cancel);

  const Json& id() const { return message_.id; }
  const std::string& method() const { return message_.method; }
  const Json& params() const { return message_.params; }
  Era era() const { return era_; }
  // As negotiated, or as this request says.
  const std::string& version() const { return version_; }
  const Json& client_capabilities() const { return client_capabilities_; }
  bool has_extension(std::string_view name) const;

  bool is_cancelled() const { return cancel_->is_set(); }

  // Nothing is sent unless the request has a progress token. Must not go back; steps that follow each other too quickly
  // are left out.
  void progress(double done, std::optional<double> total, const std::string& message);
  // The same, with no step left out.
  void progress_step(double done, std::optional<double> total, const std::string& message);

  // A message for the client's log, if it wants messages of this level.
  void log(std::string_view level, std::string_view logger, Json data);

  // A notification on the stream of this request.
  void notify(std::string_view method, Json params);

  // A request to the client, in the legacy era; in the modern one there is none, and a reply of the type input_required
  // asks instead.
  Reply ask(std::string_view method, Json params, std::chrono::milliseconds timeout);

  // From now on the call has no stream, and its progress goes to the task.
  void become_task(std::shared_ptr<CancelFlag> cancel, TellProgress tell_progress);

  const std::shared_ptr<Connection>& connection() const { return connection_; }
  const std::shared_ptr<Sink>& sink() const { return sink_; }

 private:
  bool is_too_soon();

  const Message message_;
  const std::shared_ptr<Connection> connection_;
  const Era era_;
  std::shared_ptr<Sink> sink_;
  std::shared_ptr<CancelFlag> cancel_;
  std::string version_;
  Json client_capabilities_;
  TellProgress tell_progress_;
  std::optional<double> last_progress_;
  std::chrono::steady_clock::time_point next_progress_;
};

}  // namespace loci::mcp
