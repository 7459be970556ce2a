// Where the server listens. Only this machine can reach it: there is no encryption here, and one token for everything.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "loci/result.h"

namespace loci::http {

struct ListenAddress {
  std::string host = "127.0.0.1";  // a numeric address of the loopback interface
  std::uint16_t port = 0;          // 0: any that is free

  bool operator==(const ListenAddress&) const = default;
};

// "127.0.0.1:8765", "localhost:8765", "[::1]:8765", ":8765" or "8765". Errors: invalid_argument, also for an address
// that other machines can reach.
Result<ListenAddress> parse_listen_address(std::string_view text);

// "127.0.0.1:8765", "[::1]:8765".
std::string to_string(const ListenAddress& address);

// Is it the name or a numeric address of the loopback interface? IPv6 addresses with or without brackets.
bool is_loopback_host(std::string_view host);

}  // namespace loci::http
