#include "http/mcp_sessions.h"

#include <algorithm>
#include <utility>

#include "http/mcp_sinks.h"

namespace loci::http {

void McpSessions::close(const Entry& entry) {
  entry.connection->close();
  if (entry.listener != nullptr) entry.listener->end();
}

void McpSessions::add(std::shared_ptr<mcp::Connection> connection) {
  MutexLock lock(mutex_);
  Entry evicted;
  if (entries_.size() >= most_) {
    const auto oldest = std::min_element(entries_.begin(), entries_.end(), [](const auto& left, const auto& right) {
      return left.second.last_use < right.second.last_use;
    });
    evicted = std::move(oldest->second);
    entries_.erase(oldest);
  }
  const std::string id = connection->id();
  entries_[id] = {.connection = std::move(connection), .last_use = ++uses_};
  lock.unlock();
  if (evicted.connection != nullptr) close(evicted);
}

std::shared_ptr<mcp::Connection> McpSessions::find(const std::string& id) {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) return nullptr;
  found->second.last_use = ++uses_;
  return found->second.connection;
}

bool McpSessions::remove(const std::string& id) {
  MutexLock lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) return false;
  const Entry entry = std::move(found->second);
  entries_.erase(found);
  lock.unlock();
  close(entry);
  return true;
}

void McpSessions::listen(const std::shared_ptr<mcp::Connection>& connection,
                         const std::shared_ptr<Responder>& responder, std::shared_ptr<void> place) {
  MutexLock lock(mutex_);
  const auto found = entries_.find(connection->id());
  if (found == entries_.end()) return;
  const std::shared_ptr<Responder> before = std::exchange(found->second.listener, responder);
  const std::uint64_t stream = ++found->second.stream;
  lock.unlock();
  if (before != nullptr) before->end();
  responder->begin(event_stream_head());
  responder->when_gone([this, id = connection->id(), stream, place = std::move(place)] { stop_listening(id, stream); });
  connection->attach(std::make_shared<ListenSink>(responder));
}

void McpSessions::stop_listening(const std::string& id, std::uint64_t stream) {
  MutexLock lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || found->second.stream != stream) return;
  found->second.listener = nullptr;
  const std::shared_ptr<mcp::Connection> connection = found->second.connection;
  lock.unlock();
  connection->attach(nullptr);
}

void McpSessions::close_all() {
  std::map<std::string, Entry> entries;
  {
    const MutexLock lock(mutex_);
    std::swap(entries, entries_);
  }
  for (const auto& [id, entry] : entries) close(entry);
}

}  // namespace loci::http
