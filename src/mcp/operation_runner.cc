#include "mcp/operation_runner.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "api/caller.h"
#include "api/operations.h"

namespace loci::mcp {
namespace {

// Texts that come one after the other share one start of the worker.
constexpr std::chrono::milliseconds kGatherTexts{200};

class ToolCaller final : public Caller {
 public:
  ToolCaller(Call& call, DrawerParts parts) : call_(call), parts_(parts) {}

  void progress(const Progress& progress) override {
    const auto total = progress.total ? std::optional(static_cast<double>(*progress.total)) : std::nullopt;
    call_.progress(static_cast<double>(progress.done), total, std::string(progress.detail));
  }
  bool is_cancelled() const override { return call_.is_cancelled(); }
  std::istream* input() override { return nullptr; }
  Status output(std::string_view) override {
    return Error{ErrorKind::unsupported, "there is no output stream here; name a file"};
  }
  DrawerParts drawer_parts() const override { return parts_; }

 private:
  Call& call_;
  const DrawerParts parts_;
};

}  // namespace

OperationRunner::OperationRunner(Session& session, std::function<void()> start_worker)
    : session_(session), start_worker_(std::move(start_worker)) {}

OperationRunner::~OperationRunner() {
  MutexLock lock(mutex_);
  is_over_ = true;
  changed_.notify_all();
  std::thread watcher = std::move(watcher_);
  lock.unlock();
  if (watcher.joinable()) watcher.join();
}

Result<Answer> OperationRunner::run(std::string_view name, Json fields, Call& call, DrawerParts parts) {
  const Operation* operation = find_operation(name);
  if (operation == nullptr) {
    return Error{ErrorKind::invalid_argument, "there is no operation " + std::string(name)};
  }
  ToolCaller caller(call, parts);
  const bool may_tell = listener_ != nullptr && !is_read_only() && changes_drawers(*operation);
  Result<Answer> answer = may_tell ? run_and_tell(*operation, std::move(fields), caller)
                                   : loci::call(session_, *operation, std::move(fields), caller);
  const bool has_work = answer.ok() && (operation->stores_texts == StoresTexts::yes || answer->wants_worker);
  if (has_work && start_worker_) gather_stored_texts();
  return answer;
}

Result<Answer> OperationRunner::run_and_tell(const Operation& operation, Json fields, Caller& caller) {
  const auto read = [&](std::string_view name, Json wanted) {
    SilentCaller reader;
    return loci::call(session_, *find_operation(name), std::move(wanted), reader);
  };
  ResourceChanges changes(operation, fields, read);
  Result<Answer> answer = loci::call(session_, operation, std::move(fields), caller);
  changes.finish(answer, read, filled_rooms_);
  ResourceListener& listener = *listener_;
  if (changes.changes_list()) listener.resource_list_changed();
  if (!changes.is_empty()) listener.resources_changed([&](const std::string& uri) { return changes.touches(uri); });
  return answer;
}

void OperationRunner::gather_stored_texts() {
  const MutexLock lock(mutex_);
  if (std::exchange(has_stored_, true)) return;  // whoever gathers texts knows of some already
  if (!watcher_.joinable()) watcher_ = std::thread([this] { watch_stored_texts(); });
  changed_.notify_all();
}

void OperationRunner::watch_stored_texts() {
  MutexLock lock(mutex_);
  while (true) {
    while (!has_stored_ && !is_over_) changed_.wait(mutex_);
    if (!has_stored_) return;
    const auto deadline = std::chrono::steady_clock::now() + kGatherTexts;
    while (!is_over_ && changed_.wait_until(mutex_, deadline)) continue;
    has_stored_ = false;
    lock.unlock();
    start_worker_();
    lock.lock();
  }
}

void OperationRunner::warm_up() {
  const Result<ChosenPalace> palace = session_.palace();
  if (!palace.ok()) return;
  const auto drawers = session_.drawers(*palace, Purpose::read, IfMissing::fail);
  if (!drawers.ok()) return;
  const Result<CollectionInfo> info = (*drawers)->info();
  if (!info.ok() || !info->dimension) return;
  const Result<const Embedder*> embedder = session_.embedder(palace->settings);
  if (embedder.ok() && *embedder != nullptr) static_cast<void>(session_.check_ready(**embedder));
}

bool is_empty_palace(const Error& error) {
  return error.kind == ErrorKind::palace_not_found || error.kind == ErrorKind::collection_not_initialized;
}

}  // namespace loci::mcp
