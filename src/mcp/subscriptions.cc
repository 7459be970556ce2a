#include "mcp/subscriptions.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace loci::mcp {
namespace {

constexpr std::size_t kMostSubscriptions = 1000;
constexpr std::size_t kMostResources = 1000;

void send(const Call& call, std::string_view method, Json params) {
  params["_meta"] = {{std::string(kSubscriptionKey), call.id()}};
  call.sink()->send(notification(method, std::move(params)));
}

void finish(const Call& call) {
  call.connection()->end(call.id());
  call.sink()->request_is_over();
}

// The part of what a client asks for that the server offers.
Json honoured(const Json& asked, const std::vector<std::string_view>& offered, Subscriptions::IsUri is_resource) {
  Json filter = Json::object();
  for (const std::string_view name : offered) {
    const Json* value = member(asked, name);
    if (value == nullptr) continue;
    if (name == "resourceSubscriptions") {
      if (!value->is_array()) continue;
      Json uris = Json::array();
      for (const Json& uri : *value) {
        if (uris.size() >= kMostResources) break;
        if (uri.is_string() && is_resource(uri.get<std::string>())) uris.push_back(uri);
      }
      filter[std::string(name)] = std::move(uris);
    } else if (value->is_boolean() && value->get<bool>()) {
      filter[std::string(name)] = true;
    }
  }
  return filter;
}

}  // namespace

std::optional<RpcError> Subscriptions::listen(const std::shared_ptr<Call>& call,
                                              const std::vector<std::string_view>& offered, IsUri is_resource) {
  const Json* asked = member(call->params(), "notifications");
  if (asked == nullptr || !asked->is_object()) {
    return RpcError{kInvalidParams, "params.notifications must be an object that says what to hear of"};
  }
  drop_cancelled();
  Entry entry = {.call = call, .filter = honoured(*asked, offered, is_resource)};
  const MutexLock lock(mutex_);
  if (entries_.size() >= kMostSubscriptions) return RpcError{kInternalError, "there are too many subscriptions"};
  // Under the lock, so that nothing else is sent before it.
  send(*call, "notifications/subscriptions/acknowledged", {{"notifications", entry.filter}});
  entries_.push_back(std::move(entry));
  return std::nullopt;
}

std::vector<Subscriptions::Entry> Subscriptions::entries() {
  drop_cancelled();
  const MutexLock lock(mutex_);
  return entries_;
}

void Subscriptions::list_changed(std::string_view filter, std::string_view method) {
  for (const Entry& entry : entries()) {
    if (member(entry.filter, filter) != nullptr) send(*entry.call, method, Json::object());
  }
}

void Subscriptions::resources_changed(IsUri has_changed) {
  for (const Entry& entry : entries()) {
    const Json* uris = member(entry.filter, "resourceSubscriptions");
    if (uris == nullptr) continue;
    for (const Json& uri : *uris) {
      if (has_changed(uri.get<std::string>())) send(*entry.call, "notifications/resources/updated", {{"uri", uri}});
    }
  }
}

void Subscriptions::drop_cancelled() {
  std::vector<Entry> dropped;
  MutexLock lock(mutex_);
  const auto kept = std::stable_partition(entries_.begin(), entries_.end(),
                                          [](const Entry& entry) { return !entry.call->is_cancelled(); });
  std::move(kept, entries_.end(), std::back_inserter(dropped));
  entries_.erase(kept, entries_.end());
  lock.unlock();
  for (const Entry& entry : dropped) finish(*entry.call);
}

void Subscriptions::end_all(const Json& server_info) {
  drop_cancelled();
  MutexLock lock(mutex_);
  const std::vector<Entry> ended = std::exchange(entries_, {});
  lock.unlock();
  for (const Entry& entry : ended) {
    const Json& id = entry.call->id();
    const Json meta = {{std::string(kServerInfoKey), server_info}, {std::string(kSubscriptionKey), id}};
    entry.call->sink()->send(result_message(id, {{"resultType", "complete"}, {"_meta", meta}}));
    finish(*entry.call);
  }
}

}  // namespace loci::mcp
