// The parts of an http or https address.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "loci/result.h"

namespace loci {

struct Url {
  bool is_secure = false;   // https
  std::string host = {};    // a name or an address; an IPv6 address without its brackets
  std::uint16_t port = 0;   // 80 or 443 when the address names none
  std::string target = {};  // path and query as they stand, at least "/"

  friend bool operator==(const Url&, const Url&) = default;
};

// Only what a server's address needs: no user names (a key does not belong into an address, where it would be shown),
// no fragments, no spaces or control characters. Errors: invalid_argument, with what is wrong.
Result<Url> parse_url(std::string_view text);

// "localhost:11434", "[::1]": what the Host header says; the port is left out when it is the scheme's own.
std::string host_header(const Url& url);

// "http://localhost:11434" and "/api/embed" make "http://localhost:11434/api/embed", with or without a slash at the
// end.
std::string join_url(std::string_view base, std::string_view path);

}  // namespace loci
