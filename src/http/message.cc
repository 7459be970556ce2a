#include "http/message.h"

#include <algorithm>

#include "api/json.h"

namespace loci::http {

std::optional<std::string_view> IncomingRequest::header(std::string_view name) const {
  const auto found =
      std::find_if(headers.begin(), headers.end(), [name](const auto& each) { return each.first == name; });
  if (found == headers.end()) return std::nullopt;
  return found->second;
}

std::size_t IncomingRequest::count(std::string_view name) const {
  return static_cast<std::size_t>(
      std::count_if(headers.begin(), headers.end(), [name](const auto& each) { return each.first == name; }));
}

Reply json_reply(int status, std::string body) {
  return {.status = status, .headers = {{"content-type", "application/json"}}, .body = std::move(body)};
}

Reply error_reply(int status, std::string_view message) {
  return json_reply(status, to_text(Json{{"error", message}}, JsonLayout::one_line) + "\n");
}

}  // namespace loci::http
