// The sessions of legacy clients, which open one with `initialize` and name it with each request. Any thread may use
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "http/message.h"
#include "mcp/connection.h"

namespace loci::http {

class McpSessions {
 public:
  explicit McpSessions(std::size_t most) : most_(most) {}

  // The one that was not used for the longest time has to go when there are too many.
  void add(std::shared_ptr<mcp::Connection> connection) EXCLUDES(mutex_);

  // Null when there is none, or no more.
  std::shared_ptr<mcp::Connection> find(const std::string& id) EXCLUDES(mutex_);

  // False when there is none.
  bool remove(const std::string& id) EXCLUDES(mutex_);

  // Messages that belong to no request go to this client's stream from now on; the stream before it ends. `place` is
  // let go with the stream.
  void listen(const std::shared_ptr<mcp::Connection>& connection, const std::shared_ptr<Responder>& responder,
              std::shared_ptr<void> place) EXCLUDES(mutex_);

  void close_all() EXCLUDES(mutex_);

 private:
  struct Entry {
    std::shared_ptr<mcp::Connection> connection;
    std::uint64_t last_use = 0;
    std::uint64_t stream = 0;  // the number of its last stream
    std::shared_ptr<Responder> listener = nullptr;
  };
  void stop_listening(const std::string& id, std::uint64_t stream) EXCLUDES(mutex_);
  static void close(const Entry& entry);

  const std::size_t most_;

  Mutex mutex_;
  std::map<std::string, Entry> entries_ GUARDED_BY(mutex_);
  std::uint64_t uses_ GUARDED_BY(mutex_) = 0;
};

}  // namespace loci::http
