// Where the server's messages go: the one stdout of a stdio process, or the HTTP answer to one request.
#pragma once

#include "api/json.h"

namespace loci::mcp {

// Any thread may call these, several at once.
class Sink {
 public:
  virtual ~Sink() = default;

  // One JSON-RPC message. What arrives when nobody listens any more is dropped.
  virtual void send(const Json& message) = 0;

  // The request that this sink was given with is over: its response was sent, or it was cancelled and gets none. Called
  // once for each request, after its last message. A sink of a whole connection has nothing to do then.
  virtual void request_is_over() = 0;
};

}  // namespace loci::mcp
