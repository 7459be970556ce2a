// Bytes to requests, without sockets. One reader for the requests of one connection, one after the other; not for use
// by several threads.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "http/limits.h"
#include "http/message.h"

namespace loci::http {

class RequestReader {
 public:
  enum class State {
    incomplete,  // more bytes are needed
    has_head,    // head() can be judged; read_body() goes on
    complete,    // take() gives the request
    failed,      // refusal() says why; the connection is of no use any more
  };

  explicit RequestReader(const ServerLimits& limits);
  ~RequestReader();

  // Takes bytes as they come. Bytes after the end of a request are kept for the next.
  State feed(std::string_view bytes);

  // Only keeps them, while a request is still being answered.
  void keep(std::string_view bytes);
  // Goes on with the bytes that are there already.
  State advance();

  // From has_head on.
  const IncomingRequest& head() const;
  bool wants_continue() const;  // the client waits for "100 Continue"
  bool keeps_alive() const;     // the connection can take another request
  bool is_version_11() const;

  State read_body();

  // The whole request; the reader goes on with the next.
  IncomingRequest take();

  const Reply& refusal() const;

  // Bytes that wait to be read.
  std::size_t waiting_bytes() const;
  bool has_begun() const;  // some bytes of a request are there

 private:
  struct Parser;
  State fail(int status, std::string_view message);
  State on_head();
  State refuse_parse(const std::string& why, bool is_too_large);

  const ServerLimits& limits_;
  std::unique_ptr<Parser> parser_;
};

}  // namespace loci::http
