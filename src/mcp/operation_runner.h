// How tools call operations.
#pragma once

#include <atomic>
#include <functional>
#include <string_view>
#include <thread>

#include "api/caller.h"
#include "api/json.h"
#include "api/operation.h"
#include "api/session.h"
#include "base/mutex.h"
#include "loci/result.h"
#include "mcp/call.h"
#include "mcp/features.h"
#include "mcp/resource_changes.h"

namespace loci::mcp {

// Runs operations of the table for calls, hands on progress and cancellation, and starts the background worker after
// texts were stored. Many threads may use it at once.
class OperationRunner {
 public:
  // The session outlives the runner.
  OperationRunner(Session& session, std::function<void()> start_worker);
  ~OperationRunner();
  OperationRunner(const OperationRunner&) = delete;
  OperationRunner& operator=(const OperationRunner&) = delete;

  Session& session() { return session_; }
  bool is_read_only() const { return session_.options().access == Access::read_only; }

  // `parts`: what of drawers the tool shows. Errors: those of the operation; invalid_argument for a name that is not in
  // the table.
  Result<Answer> run(std::string_view operation, Json fields, Call& call, DrawerParts parts = DrawerParts::all);

  // See Features.
  void tell_changes_to(ResourceListener* listener) { listener_ = listener; }

  // Starts to load the model if searches will need it. For a face, when it has nothing better to do.
  void warm_up();

 private:
  Result<Answer> run_and_tell(const Operation& operation, Json fields, Caller& caller);
  void gather_stored_texts();
  void watch_stored_texts();

  // Constant after construction.
  Session& session_;
  const std::function<void()> start_worker_;

  std::atomic<ResourceListener*> listener_ = nullptr;
  FilledRooms filled_rooms_;
  Mutex mutex_;
  ConditionVariable changed_;
  bool has_stored_ GUARDED_BY(mutex_) = false;
  bool is_over_ GUARDED_BY(mutex_) = false;
  std::thread watcher_ GUARDED_BY(mutex_);
};

// Is it the error of a palace in which nothing was ever stored? For tools that read, that is no error.
bool is_empty_palace(const Error& error);

}  // namespace loci::mcp
