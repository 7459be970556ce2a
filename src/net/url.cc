#include "net/url.h"

#include <algorithm>
#include <charconv>

namespace loci {
namespace {

constexpr std::uint16_t kHttpPort = 80;
constexpr std::uint16_t kHttpsPort = 443;

Error bad_url(std::string_view text, std::string_view why) {
  return {ErrorKind::invalid_argument, "the address " + std::string(text) + " " + std::string(why)};
}

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

std::uint16_t default_port(bool is_secure) { return is_secure ? kHttpsPort : kHttpPort; }

// Takes "http://" or "https://" off the front.
Result<bool> take_scheme(std::string_view text, std::string_view& rest) {
  for (const bool is_secure : {false, true}) {
    const std::string_view scheme = is_secure ? "https://" : "http://";
    if (!rest.starts_with(scheme)) continue;
    rest.remove_prefix(scheme.size());
    return is_secure;
  }
  return bad_url(text, "must begin with http:// or https://");
}

Result<std::uint16_t> parse_port(std::string_view text, std::string_view digits) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size() || port == 0)
    return bad_url(text, "must have a port from 1 to 65535 after the colon");
  return port;
}

}  // namespace

Result<Url> parse_url(std::string_view text) {
  if (!is_plain(text)) return Error{ErrorKind::invalid_argument, "an address has spaces or characters beyond ASCII"};
  std::string_view rest = text;
  Url url{.is_secure = TRY(take_scheme(text, rest))};
  const std::size_t path = std::min(rest.find_first_of("/?#"), rest.size());
  std::string_view authority = rest.substr(0, path);
  url.target = rest.substr(path);
  if (url.target.find('#') != std::string::npos) return bad_url(text, "must not have a #");
  if (url.target.empty() || url.target.front() != '/') url.target.insert(0, "/");
  if (authority.find('@') != std::string_view::npos)
    return Error{ErrorKind::invalid_argument,
                 "an address must not hold a user name or key; keys come from the environment"};

  std::size_t host_end = std::min(authority.find(':'), authority.size());
  if (authority.starts_with('[')) {
    const std::size_t bracket = authority.find(']');
    if (bracket == std::string_view::npos) return bad_url(text, "has a [ without its ]");
    url.host = authority.substr(1, bracket - 1);
    host_end = bracket + 1;
  } else {
    url.host = authority.substr(0, host_end);
  }
  if (url.host.empty()) return bad_url(text, "names no host");
  authority.remove_prefix(host_end);
  url.port = default_port(url.is_secure);
  if (authority.empty()) return url;
  if (authority.front() != ':') return bad_url(text, "has something else than a port after the host");
  url.port = TRY(parse_port(text, authority.substr(1)));
  return url;
}

std::string host_header(const Url& url) {
  std::string text = url.host.find(':') == std::string::npos ? url.host : "[" + url.host + "]";
  if (url.port != default_port(url.is_secure)) text += ":" + std::to_string(url.port);
  return text;
}

std::string join_url(std::string_view base, std::string_view path) {
  while (base.ends_with('/')) base.remove_suffix(1);
  return std::string(base) + std::string(path);
}

}  // namespace loci
