#include "http/request_checks.h"

#include <algorithm>
#include <array>

#include <openssl/crypto.h>

#include "http/listen_address.h"

namespace loci::http {
namespace {

constexpr std::array<std::string_view, 9> kOnce = {
    "host",         "origin",         "authorization", "content-length",       "transfer-encoding",
    "content-type", "mcp-session-id", "mcp-method",    "mcp-protocol-version",
};

struct Authority {
  std::string_view host;
  std::string_view port;  // empty when none is given
};

// "127.0.0.1:80" and "[::1]:80" apart; nothing for what is neither.
std::optional<Authority> split_authority(std::string_view text) {
  const std::size_t bracket = text.rfind(']');
  const std::size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon == std::string_view::npos) return Authority{text, {}};
  const std::string_view port = text.substr(colon + 1);
  const bool is_number = std::all_of(port.begin(), port.end(), [](char digit) { return digit >= '0' && digit <= '9'; });
  if (port.empty() || port.size() > 5 || !is_number) return std::nullopt;
  return Authority{text.substr(0, colon), port};
}

bool is_here(const std::optional<Authority>& authority) { return authority && is_loopback_host(authority->host); }

constexpr std::string_view kScheme = "http://";

bool is_from_here(std::string_view origin, const Authority& host) {
  if (!origin.starts_with(kScheme)) return false;
  const std::optional<Authority> from = split_authority(origin.substr(kScheme.size()));
  return is_here(from) && from->port == host.port;
}

// Schemes are compared without case; everything after the blanks is the token.
std::optional<std::string_view> bearer(std::string_view value) {
  constexpr std::string_view kBearer = "bearer ";
  if (value.size() < kBearer.size()) return std::nullopt;
  const auto same = [](char wanted, char given) {
    return (given >= 'A' && given <= 'Z' ? given + 32 : given) == wanted;
  };
  if (!std::equal(kBearer.begin(), kBearer.end(), value.begin(), same)) return std::nullopt;
  value.remove_prefix(kBearer.size());
  value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
  return value;
}

}  // namespace

std::optional<Reply> check_origin(const IncomingRequest& head) {
  for (const std::string_view name : kOnce) {
    if (head.count(name) > 1) return error_reply(400, "the header " + std::string(name) + " stands twice");
  }
  const std::optional<std::string_view> host_header = head.header("host");
  if (!host_header) return error_reply(400, "there is no Host header");
  const std::optional<Authority> host = split_authority(*host_header);
  if (!is_here(host))
    return error_reply(403, "the Host header names another machine; this server answers to its own only");
  const std::optional<std::string_view> origin = head.header("origin");
  if (origin && !is_from_here(*origin, *host))
    return error_reply(403, "pages of other origins may not use this server");
  if (!head.query.empty())
    return error_reply(
        400, "the address takes no query; a token belongs into the header Authorization, never into the address");
  return std::nullopt;
}

std::optional<Reply> check_token(const IncomingRequest& head, std::string_view token) {
  const std::optional<std::string_view> given = bearer(head.header("authorization").value_or(std::string_view()));
  if (given && given->size() == token.size() && CRYPTO_memcmp(given->data(), token.data(), token.size()) == 0)
    return std::nullopt;
  Reply reply = error_reply(401, "send the server's token as 'Authorization: Bearer TOKEN'");
  reply.headers.emplace_back("www-authenticate", "Bearer");
  return reply;
}

}  // namespace loci::http
