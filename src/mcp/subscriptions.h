// The streams that modern clients open with subscriptions/listen to hear of changes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json.h"
#include "base/function_ref.h"
#include "base/mutex.h"
#include "mcp/call.h"
#include "mcp/protocol.h"

namespace loci::mcp {

// Many threads may use it at once.
class Subscriptions {
 public:
  using IsUri = FunctionRef<bool(const std::string& uri)>;

  // Acknowledges what of the filter is honoured (`offered`: the names of what the server announces; of resources those
  // that are some), and keeps the call until it is cancelled or ended. Nothing: it is kept; otherwise the error to
  // answer with.
  std::optional<RpcError> listen(const std::shared_ptr<Call>& call, const std::vector<std::string_view>& offered,
                                 IsUri is_resource);

  // `filter` is the member that a client asks with: "toolsListChanged".
  void list_changed(std::string_view filter, std::string_view method);
  void resources_changed(IsUri has_changed);

  // Lets go of those that are cancelled.
  void drop_cancelled();
  // Ends all of them with a result.
  void end_all(const Json& server_info);

 private:
  struct Entry {
    std::shared_ptr<Call> call;
    Json filter;  // what is honoured
  };
  std::vector<Entry> entries();

  Mutex mutex_;
  std::vector<Entry> entries_ GUARDED_BY(mutex_);
};

}  // namespace loci::mcp
