// Batches of the version 2025-03-26: several messages in one list, answered by one list.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "api/json.h"
#include "base/mutex.h"
#include "mcp/sink.h"

namespace loci::mcp {

inline constexpr std::size_t kMostInBatch = 100;

// How many of the messages end with request_is_over: the requests, and what is no message at all.
std::size_t count_requests(const Json& batch);

// Gathers the responses and sends them as one list when the last request is over. Other messages go through at once.
// Any thread may use it.
class BatchSink final : public Sink {
 public:
  BatchSink(std::shared_ptr<Sink> sink, std::size_t requests) : sink_(std::move(sink)), left_(requests) {
    if (requests == 0) sink_->request_is_over();
  }

  void send(const Json& message) override;
  void request_is_over() override;

 private:
  const std::shared_ptr<Sink> sink_;

  Mutex mutex_;
  std::size_t left_ GUARDED_BY(mutex_);
  Json responses_ GUARDED_BY(mutex_) = Json::array();
};

}  // namespace loci::mcp
