// What the server knows of one client: what was negotiated, and which requests are under way in both directions.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "api/json.h"
#include "base/mutex.h"
#include "mcp/protocol.h"
#include "mcp/sink.h"

namespace loci::mcp {

// Set once, by whoever no longer wants the answer.
class CancelFlag {
 public:
  void set() { is_set_.store(true, std::memory_order_relaxed); }
  bool is_set() const { return is_set_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> is_set_ = false;
};

// From most to least talkative: "debug", … "emergency". Nothing for any other text.
std::optional<int> log_severity(std::string_view level);

// Many threads may use it at once. Owned by shared pointers, since requests outlive a client that goes away.
class Connection {
 public:
  Connection();

  // Unguessable; HTTP uses it as the session id.
  const std::string& id() const { return id_; }

  // Where messages go that belong to no request: the same sink as all others (stdio), or the stream of an HTTP GET.
  // Null ends it; without one such messages are dropped.
  void attach(std::shared_ptr<Sink> sink);
  void send_unasked(const Json& message);

  // What `initialize` settled. A client that never sent one is served as the newest legacy version.
  void initialize(std::string version, Json client_capabilities);
  bool is_initialized() const;
  std::string version() const;
  Json client_capabilities() const;

  // Messages for the client's log that are less severe than this are left out.
  void set_log_severity(int severity);
  int log_severity() const;

  // False: there are too many already.
  bool subscribe(const std::string& uri);
  void unsubscribe(const std::string& uri);
  std::set<std::string> subscriptions() const;

  // A request of the client begins and ends. Null: a request with this id is under way already.
  std::shared_ptr<CancelFlag> begin(const Json& id);
  void end(const Json& id);
  // Nothing happens for an id that is not under way.
  void cancel(const Json& id);

  // The client is gone: all its requests are cancelled, and nothing is sent any more.
  void close();

  // Sends a request to the client and waits for what it answers: its result, or its error. Errors besides: none came in
  // time, or the request that needs it was cancelled.
  Reply ask(Sink& sink, std::string_view method, Json params, const CancelFlag& cancel,
            std::chrono::milliseconds timeout);
  // The client's response to one of those; what nobody waits for is dropped.
  void answered(Message response);

 private:
  // Constant after construction.
  const std::string id_;

  mutable Mutex mutex_;
  ConditionVariable was_answered_;
  std::shared_ptr<Sink> sink_ GUARDED_BY(mutex_);
  std::optional<std::string> version_ GUARDED_BY(mutex_);
  Json client_capabilities_ GUARDED_BY(mutex_) = Json::object();
  int log_severity_ GUARDED_BY(mutex_);
  std::set<std::string> subscriptions_ GUARDED_BY(mutex_);
  std::map<std::string, std::shared_ptr<CancelFlag>> requests_ GUARDED_BY(mutex_);  // by the id as JSON text
  std::map<std::string, std::optional<Reply>> asked_ GUARDED_BY(mutex_);            // by the id as JSON text
  std::int64_t next_ask_ GUARDED_BY(mutex_) = 1;
  bool is_closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace loci::mcp
