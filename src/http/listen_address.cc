#include "http/listen_address.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace loci::http {
namespace {

Error bad_address(std::string_view text, std::string_view why) {
  return {ErrorKind::invalid_argument, "cannot listen on '" + std::string(text) + "': " + std::string(why) +
                                           "; an address looks like 127.0.0.1:8765"};
}

// Names of hosts have no case.
bool is_localhost(std::string_view host) {
  constexpr std::string_view kName = "localhost";
  const auto same = [](char given, char wanted) {
    return (given >= 'A' && given <= 'Z' ? given + ('a' - 'A') : given) == wanted;
  };
  return std::equal(host.begin(), host.end(), kName.begin(), kName.end(), same);
}

std::string_view without_brackets(std::string_view host) {
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') return host.substr(1, host.size() - 2);
  return host;
}

}  // namespace

bool is_loopback_host(std::string_view host) {
  if (is_localhost(host)) return true;
  const std::string bare(without_brackets(host));
  in_addr v4 = {};
  if (::inet_pton(AF_INET, bare.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6 = {};
  return ::inet_pton(AF_INET6, bare.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

Result<ListenAddress> parse_listen_address(std::string_view text) {
  ListenAddress address;
  std::string_view port = text;
  if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    const std::string_view host = text.substr(0, colon);
    port = text.substr(colon + 1);
    const bool is_bracketed = host.size() >= 2 && host.front() == '[' && host.back() == ']';
    if (host.find(':') != std::string_view::npos && !is_bracketed)
      return bad_address(text, "an IPv6 address stands in brackets");
    if (!host.empty() && !is_loopback_host(host))
      return bad_address(text, "other machines must not reach it, so only addresses of this machine are taken");
    if (!host.empty() && !is_localhost(host)) address.host = without_brackets(host);
  }
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (error != std::errc() || end != port.data() + port.size())
    return bad_address(text, "the port is a number up to 65535");
  return address;
}

std::string to_string(const ListenAddress& address) {
  const bool is_v6 = address.host.find(':') != std::string::npos;
  return (is_v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

}  // namespace loci::http
