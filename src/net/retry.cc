#include "net/retry.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "base/utf8.h"

namespace loci {
namespace {

constexpr std::size_t kShownBytes = 300;

std::optional<std::chrono::milliseconds> asked_delay(const HttpResponse& response) {
  const std::string& text = response.retry_after;
  unsigned seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  // The other form, a date, needs the server's clock to agree with ours; the usual pace does for it.
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return std::chrono::seconds(seconds);
}

bool is_worth_another_try(const Result<HttpResponse>& answer) {
  return answer.ok() ? is_temporary(answer->status) : answer.error().kind == ErrorKind::unavailable;
}

ErrorKind kind_of(int status) {
  if (is_temporary(status)) return ErrorKind::unavailable;
  if (status == 404) return ErrorKind::not_found;
  return status >= 400 && status < 500 ? ErrorKind::invalid_argument : ErrorKind::io;
}

std::string_view advice(int status) {
  switch (status) {
    case 401:
    case 403: return " (the key is missing or not accepted)";
    case 404: return " (is that the right address, and is there such a model?)";
    case 413: return " (a text is too long for this server)";
    default: return "";
  }
}

}  // namespace

bool is_temporary(int status) { return status == 408 || status == 429 || (status >= 500 && status != 501); }

Result<HttpResponse> send_with_retries(const HttpTransport& transport, const HttpRequest& request,
                                       const RetryPolicy& policy, const Sleep& sleep) {
  std::chrono::milliseconds delay = policy.first_delay;
  for (int attempt = 1;; ++attempt) {
    Result<HttpResponse> answer = transport(request);
    if (attempt >= policy.attempts || !is_worth_another_try(answer)) return answer;
    std::chrono::milliseconds wait = delay;
    if (answer.ok()) {
      if (const auto asked = asked_delay(*answer)) wait = std::max(wait, *asked);
      if (wait > policy.longest_retry_after) return answer;
    }
    sleep(wait);
    delay = std::min(delay * 2, policy.longest_delay);
  }
}

Error status_error(std::string_view server, const HttpResponse& response) {
  std::string shown = response.body.substr(0, kShownBytes);
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  // The cut may have split a character, and the server may send anything.
  while (!shown.empty() && !is_valid_utf8(shown)) shown.pop_back();
  return {kind_of(response.status), std::string(server) + " answers " + std::to_string(response.status) +
                                        std::string(advice(response.status)) + (shown.empty() ? "" : ": " + shown)};
}

}  // namespace loci
