#include "mcp/tasks.h"

#include <utility>
#include <variant>

#include "base/clock.h"
#include "base/random.h"

namespace loci::mcp {
namespace {

constexpr std::int64_t kTimeToLiveMs = 3'600'000;
constexpr std::int64_t kPollEveryMs = 500;
constexpr std::size_t kMostTasks = 1000;

RpcError no_such_task() { return {kInvalidParams, "there is no task of that id"}; }

}  // namespace

Json Tasks::describe(const std::string& id, const Task& task) {
  Json json = {{"taskId", id},
               {"status", task.status},
               {"createdAt", to_iso8601(task.created_ms)},
               {"lastUpdatedAt", to_iso8601(task.updated_ms)},
               {"ttlMs", kTimeToLiveMs},
               {"pollIntervalMs", kPollEveryMs}};
  if (!task.message.empty()) json["statusMessage"] = task.message;
  return json;
}

void Tasks::drop_old() {
  const std::int64_t now = now_unix_ms();
  std::erase_if(tasks_, [&](const auto& entry) {
    return entry.second.status != "working" && now - entry.second.updated_ms > kTimeToLiveMs;
  });
}

std::optional<Tasks::Begun> Tasks::begin() {
  const MutexLock lock(mutex_);
  drop_old();
  if (tasks_.size() >= kMostTasks) return std::nullopt;
  std::string id = random_hex(16);
  Task task = {.created_ms = now_unix_ms(), .cancel = std::make_shared<CancelFlag>()};
  task.updated_ms = task.created_ms;
  Json result = {{"resultType", "task"}};
  result.update(describe(id, task));
  Begun begun = {.id = id, .cancel = task.cancel, .result = std::move(result)};
  tasks_.emplace(std::move(id), std::move(task));
  return begun;
}

void Tasks::tell(const std::string& id, const std::string& message) {
  const MutexLock lock(mutex_);
  const auto found = tasks_.find(id);
  if (found == tasks_.end() || found->second.status != "working") return;
  found->second.message = message;
  found->second.updated_ms = now_unix_ms();
}

void Tasks::end(const std::string& id, Reply reply) {
  const MutexLock lock(mutex_);
  const auto found = tasks_.find(id);
  if (found == tasks_.end() || found->second.status != "working") return;
  Task& task = found->second;
  task.updated_ms = now_unix_ms();
  if (auto* error = std::get_if<RpcError>(&reply)) {
    task.status = "failed";
    task.message = error->message;
    task.outcome = {{"error", {{"code", error->code}, {"message", error->message}}}};
  } else {
    task.status = "completed";
    task.message.clear();
    task.outcome = {{"result", std::move(std::get<Json>(reply))}};
  }
}

Tasks::Task* Tasks::find(const Json& params) {
  drop_old();
  const auto found = tasks_.find(text_member(params, "taskId"));
  return found == tasks_.end() ? nullptr : &found->second;
}

Reply Tasks::get(const Json& params) {
  const MutexLock lock(mutex_);
  const Task* task = find(params);
  if (task == nullptr) return no_such_task();
  Json result = describe(text_member(params, "taskId"), *task);
  if (task->outcome.is_object()) result.update(task->outcome);
  return result;
}

Reply Tasks::update(const Json& params) {
  const MutexLock lock(mutex_);
  // No task of ours waits for input, so that there is nothing to hand on.
  return find(params) == nullptr ? Reply(no_such_task()) : Reply(Json::object());
}

Reply Tasks::cancel(const Json& params) {
  const MutexLock lock(mutex_);
  Task* task = find(params);
  if (task == nullptr) return no_such_task();
  if (task->status == "working") {
    task->cancel->set();
    task->status = "cancelled";
    task->updated_ms = now_unix_ms();
  }
  return Json::object();
}

void Tasks::cancel_all() {
  const MutexLock lock(mutex_);
  for (auto& [id, task] : tasks_) task.cancel->set();
}

}  // namespace loci::mcp
