// A client for tests that sends exactly the bytes it is told to.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/file.h"
#include "http/listen_address.h"

namespace loci::http {

class TestClient {
 public:
  explicit TestClient(const ListenAddress& address);

  bool is_connected() const { return socket_.is_open(); }
  // False when the other side has closed.
  bool send(std::string_view bytes);
  // What comes until the text is there, the other side closes, or the time is over.
  std::string read_until(std::string_view text, std::chrono::milliseconds timeout = std::chrono::seconds(20));
  // One whole answer with a content-length; what follows it stays for the next call.
  std::string read_answer();
  // Has the other side closed, or does it within the time? What was sent before is thrown away.
  bool is_closed_within(std::chrono::milliseconds timeout);
  void close() { socket_.reset(); }

 private:
  // False at the end or when the time is over.
  bool read_more(std::chrono::steady_clock::time_point deadline);

  FileDescriptor socket_;
  std::string received_;
  bool has_ended_ = false;
};

}  // namespace loci::http
