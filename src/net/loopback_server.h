// For tests: a real HTTP server on the loopback interface that answers each connection with the next of its bytes.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/mutex.h"

namespace loci {

// What one connection gets. The bytes are sent as they are, so that broken answers can be tried too.
struct CannedAnswer {
  std::string bytes;
  bool stays_silent = false;  // reads the request, and neither answers nor closes until the server is gone
};

// "HTTP/1.1 200 OK" with the body, as JSON.
CannedAnswer http_answer(int status, const std::string& body, const std::string& more_headers = "");

class LoopbackServer {
 public:
  // After the last answer it is given again and again.
  explicit LoopbackServer(std::vector<CannedAnswer> answers);
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;
  ~LoopbackServer();

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  // Heads and bodies, in the order in which they came.
  std::vector<std::string> requests();

 private:
  void serve();
  void serve_one(FileDescriptor connection, std::size_t number);

  const std::vector<CannedAnswer> answers_;
  FileDescriptor listener_;
  FileDescriptor wake_read_;
  FileDescriptor wake_write_;
  int port_ = 0;
  Mutex mutex_;
  std::vector<std::string> requests_ GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace loci
