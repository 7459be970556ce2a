// Tool calls that go on as tasks: the client gets a handle at once and asks for the outcome when it likes
// (the extension io.modelcontextprotocol/tasks of the modern era).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "api/json.h"
#include "base/mutex.h"
#include "mcp/connection.h"
#include "mcp/protocol.h"

namespace loci::mcp {

// Tasks live in memory, for an hour after they ended; their ids cannot be guessed, so that whoever knows one may use
// it. Many threads may use it at once.
class Tasks {
 public:
  struct Begun {
    std::string id;
    std::shared_ptr<CancelFlag> cancel;
    Json result;  // what the call is answered with
  };
  // Nothing when there are too many.
  std::optional<Begun> begin();
  void tell(const std::string& id, const std::string& message);
  void end(const std::string& id, Reply reply);

  // tasks/get, tasks/update and tasks/cancel. An id that is not known is an error.
  Reply get(const Json& params);
  Reply update(const Json& params);
  Reply cancel(const Json& params);

  void cancel_all();

 private:
  struct Task {
    std::int64_t created_ms = 0;
    std::int64_t updated_ms = 0;
    std::string status = "working";
    std::string message = {};
    Json outcome = nullptr;  // {"result": …} or {"error": …} once it is over
    std::shared_ptr<CancelFlag> cancel = {};
  };
  static Json describe(const std::string& id, const Task& task);
  Task* find(const Json& params) REQUIRES(mutex_);
  void drop_old() REQUIRES(mutex_);

  Mutex mutex_;
  std::map<std::string, Task> tasks_ GUARDED_BY(mutex_);
};

}  // namespace loci::mcp
