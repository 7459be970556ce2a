#include "mcp/connection.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/random.h"

namespace loci::mcp {
namespace {

constexpr std::array<std::string_view, 8> kLevels = {"debug", "info",     "notice", "warning",
                                                     "error", "critical", "alert",  "emergency"};
constexpr int kInfo = 1;
constexpr std::size_t kMaxSubscriptions = 1000;
constexpr std::chrono::milliseconds kLookEvery{100};

std::string key_of(const Json& id) { return to_text(id, JsonLayout::one_line); }

Reply reply_of(Message response) {
  if (response.error.is_null()) return std::move(response.result);
  const Json* code = member(response.error, "code");
  return RpcError{code != nullptr && code->is_number_integer() ? code->get<int>() : kInternalError,
                  text_member(response.error, "message")};
}

}  // namespace

std::optional<int> log_severity(std::string_view level) {
  const auto found = std::find(kLevels.begin(), kLevels.end(), level);
  if (found == kLevels.end()) return std::nullopt;
  return static_cast<int>(found - kLevels.begin());
}

Connection::Connection() : id_(random_hex(16)), log_severity_(kInfo) {}

void Connection::attach(std::shared_ptr<Sink> sink) {
  const MutexLock lock(mutex_);
  if (!is_closed_) sink_ = std::move(sink);
}

void Connection::send_unasked(const Json& message) {
  MutexLock lock(mutex_);
  const std::shared_ptr<Sink> sink = sink_;
  lock.unlock();
  if (sink != nullptr) sink->send(message);
}

void Connection::initialize(std::string version, Json client_capabilities) {
  const MutexLock lock(mutex_);
  version_ = std::move(version);
  client_capabilities_ = std::move(client_capabilities);
}

bool Connection::is_initialized() const {
  const MutexLock lock(mutex_);
  return version_.has_value();
}

std::string Connection::version() const {
  const MutexLock lock(mutex_);
  return version_.value_or(std::string(kNewestLegacyVersion));
}

Json Connection::client_capabilities() const {
  const MutexLock lock(mutex_);
  return client_capabilities_;
}

void Connection::set_log_severity(int severity) {
  const MutexLock lock(mutex_);
  log_severity_ = severity;
}

int Connection::log_severity() const {
  const MutexLock lock(mutex_);
  return log_severity_;
}

bool Connection::subscribe(const std::string& uri) {
  const MutexLock lock(mutex_);
  if (subscriptions_.size() >= kMaxSubscriptions && !subscriptions_.contains(uri)) return false;
  subscriptions_.insert(uri);
  return true;
}

void Connection::unsubscribe(const std::string& uri) {
  const MutexLock lock(mutex_);
  subscriptions_.erase(uri);
}

std::set<std::string> Connection::subscriptions() const {
  const MutexLock lock(mutex_);
  return subscriptions_;
}

std::shared_ptr<CancelFlag> Connection::begin(const Json& id) {
  const MutexLock lock(mutex_);
  auto [entry, is_new] = requests_.emplace(key_of(id), nullptr);
  if (!is_new) return nullptr;
  entry->second = std::make_shared<CancelFlag>();
  if (is_closed_) entry->second->set();
  return entry->second;
}

void Connection::end(const Json& id) {
  const MutexLock lock(mutex_);
  requests_.erase(key_of(id));
}

void Connection::cancel(const Json& id) {
  const MutexLock lock(mutex_);
  const auto found = requests_.find(key_of(id));
  if (found != requests_.end()) found->second->set();
  was_answered_.notify_all();
}

void Connection::close() {
  const MutexLock lock(mutex_);
  is_closed_ = true;
  sink_ = nullptr;
  for (const auto& [id, flag] : requests_) flag->set();
  was_answered_.notify_all();
}

Reply Connection::ask(Sink& sink, std::string_view method, Json params, const CancelFlag& cancel,
                      std::chrono::milliseconds timeout) {
  MutexLock lock(mutex_);
  const Json id = "loci-" + std::to_string(next_ask_++);
  const std::string key = key_of(id);
  asked_[key] = std::nullopt;
  lock.unlock();
  sink.send({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}});
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  lock.lock();
  while (!asked_[key] && !is_closed_ && !cancel.is_set() && std::chrono::steady_clock::now() < deadline) {
    was_answered_.wait_for(mutex_, kLookEvery);
  }
  std::optional<Reply> reply = std::move(asked_[key]);
  asked_.erase(key);
  if (reply) return std::move(*reply);
  return RpcError{kInternalError, "the client did not answer " + std::string(method)};
}

void Connection::answered(Message response) {
  const MutexLock lock(mutex_);
  const auto found = asked_.find(key_of(response.id));
  if (found == asked_.end() || found->second) return;
  found->second = reply_of(std::move(response));
  was_answered_.notify_all();
}

}  // namespace loci::mcp
