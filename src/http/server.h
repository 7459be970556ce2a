// An asynchronous HTTP/1.1 server: one thread moves the bytes of all clients, handlers do the work elsewhere.
//
// No client can keep others out: connections have a cap, and when it is reached the one that has waited longest for its
// own request to arrive is given up; whoever sends or reads too slowly is dropped.
#pragma once

#include <cstddef>
#include <memory>

#include "http/limits.h"
#include "http/listen_address.h"
#include "http/message.h"
#include "loci/result.h"

namespace loci::http {

class Server {
 public:
  // Listens from now on; clients are answered once run() is called. The handler outlives the server. Errors: io, such
  // as a port that somebody else has.
  static Result<std::unique_ptr<Server>> open(const ListenAddress& address, const ServerLimits& limits,
                                              RequestHandler& handler);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // With the port that was chosen.
  const ListenAddress& address() const;

  // Answers clients until somebody stops it; what is under way then has a few seconds to end.
  void run();

  // Any thread may call it.
  void stop();

  // SIGINT and SIGTERM stop the server; a second one ends the process at once.
  void stop_on_signals();

  // On the thread of run(), or when it does not run.
  std::size_t connection_count() const;

 private:
  class Listener;
  explicit Server(std::unique_ptr<Listener> listener);

  const std::unique_ptr<Listener> listener_;
};

}  // namespace loci::http
