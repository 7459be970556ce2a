// One request, one answer, over HTTP/1.1, with TLS for https addresses. A connection is made for each exchange: what
// Loci asks of servers is batches that take them far longer than a handshake.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/stop_time.h"
#include "loci/result.h"

namespace loci {

struct HttpRequest {
  std::string method = "GET";
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
};

struct HttpResponse {
  int status = 0;
  std::string body = {};
  std::string retry_after = {};  // that header, as it came; empty: none
};

struct HttpLimits {
  std::chrono::milliseconds connect_timeout{5'000};  // until the server is connected, its name looked up included
  std::chrono::milliseconds total_timeout{120'000};  // until the whole answer is there; a large model takes its time
  std::size_t answer_bytes = std::size_t{64} << 20;
  const StopTime* stop = nullptr;  // when it has come, nobody waits any longer; null: never
};

// How requests are sent. Tests pass their own; everybody else passes send_http.
using HttpTransport = std::function<Result<HttpResponse>(const HttpRequest&)>;

// Any status is an answer. Redirects are not followed: a key must not follow one to another host. Certificates are
// checked against those of the system. Errors: invalid_argument (the address, the headers); unavailable (no connection,
// no answer in time or before the stop, a certificate that does not fit); io (an answer that is no HTTP, is cut off or
// too long). Any thread may call it.
Result<HttpResponse> send_http(const HttpRequest& request, const HttpLimits& limits = {});

}  // namespace loci
