// Trying again when a server is busy or away.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string_view>

#include "loci/result.h"
#include "net/http_client.h"

namespace loci {

struct RetryPolicy {
  int attempts = 5;
  std::chrono::milliseconds first_delay{250};  // doubled each time
  std::chrono::milliseconds longest_delay{8'000};
  std::chrono::milliseconds longest_retry_after{30'000};  // a server that asks for more is given up
};

using Sleep = std::function<void(std::chrono::milliseconds)>;

// Sends the request until it is answered by something else than 408, 429 or 5xx, or the attempts are used up; then the
// last answer or error. Only for requests that may happen twice. A server's Retry-After, in seconds, is waited for.
Result<HttpResponse> send_with_retries(const HttpTransport& transport, const HttpRequest& request,
                                       const RetryPolicy& policy, const Sleep& sleep);

// May the same request have another answer later?
bool is_temporary(int status);

// The error that a status other than 2xx stands for; `server` opens the message, and what the server says of the reason
// is part of it, cut to a line.
Error status_error(std::string_view server, const HttpResponse& response);

}  // namespace loci
