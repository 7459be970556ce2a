// Any bytes as what a client sends: refused, or a request that means the same however its bytes arrived. What the
// checks let through is what they promise to let through.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json.h"
#include "http/limits.h"
#include "http/listen_address.h"
#include "http/mcp_headers.h"
#include "http/reply_text.h"
#include "http/request_checks.h"
#include "http/request_reader.h"
#include "http/sse.h"

namespace {

using loci::http::IncomingRequest;
using State = loci::http::RequestReader::State;

constexpr loci::http::ServerLimits kLimits = {.header_bytes = 2048, .body_bytes = 4096};

void require(bool holds) {
  if (!holds) std::abort();
}

// All requests of a connection whose bytes come in pieces of this size.
std::vector<IncomingRequest> read_all(std::string_view bytes, std::size_t step) {
  std::vector<IncomingRequest> requests;
  loci::http::RequestReader reader(kLimits);
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    State state = reader.feed(bytes.substr(at, step));
    while (state == State::has_head || state == State::complete) {
      if (state == State::has_head) {
        state = reader.read_body();
        continue;
      }
      requests.push_back(reader.take());
      require(requests.back().body.size() <= kLimits.body_bytes);
      state = reader.advance();
    }
    if (state == State::failed) {
      require(reader.refusal().status >= 400);
      break;
    }
  }
  return requests;
}

void check(const IncomingRequest& request) {
  if (!loci::http::check_origin(request)) {
    require(request.count("host") == 1 && request.query.empty());
    const std::string_view origin = request.header("origin").value_or("http://localhost");
    require(origin.starts_with("http://"));
  }
  require(loci::http::check_token(request, "0123456789abcdef").has_value() ||
          request.header("authorization")->ends_with("0123456789abcdef"));
  static_cast<void>(loci::http::check_media_types(request));
  if (const auto json = loci::parse_json(request.body, "the body"); json.ok()) {
    const auto message = loci::mcp::read_message(*json);
    if (const auto* read = std::get_if<loci::mcp::Message>(&message))
      static_cast<void>(loci::http::check_standard_headers(request, *read));
  }
  // What is echoed can begin no header and no event of its own.
  loci::http::Reply reply = {.headers = request.headers, .body = {}};
  const std::string text = loci::http::reply_text(reply, {});
  require(text.find("\r\n\r\n") == text.size() - 4);
  const std::string event = loci::http::sse_event(request.body);
  require(event.find("\n\n") == event.size() - 2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static_cast<void>(loci::http::parse_listen_address(bytes));
  const std::vector<IncomingRequest> whole = read_all(bytes, std::max<std::size_t>(size, 1));
  const std::vector<IncomingRequest> pieces = read_all(bytes, 7);
  require(pieces.size() >= whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    require(whole[i].method == pieces[i].method && whole[i].path == pieces[i].path &&
            whole[i].headers == pieces[i].headers && whole[i].body == pieces[i].body);
    check(whole[i]);
  }
  return 0;
}
