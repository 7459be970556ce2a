// `loci serve`: the MCP server over HTTP, from the address and the token to the end by a signal.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "http/limits.h"
#include "http/token_file.h"
#include "loci/result.h"
#include "mcp/features.h"

namespace loci::mcp {
class Server;
}

namespace loci::http {

struct ServeOptions {
  std::string listen = "127.0.0.1:8765";  // see parse_listen_address
  bool uses_token = true;
  std::filesystem::path token_file = {};  // not looked at without a token
  KeepToken keep_token = KeepToken::yes;  // in that file, when it is missing
  ServerLimits limits = {};
  std::function<void(mcp::Server& server)> on_server = {};  // called once, before the first request
  std::function<void()> on_end = {};  // when all connections are gone, before what they began is waited for
};

// Says where it listens, and the token if it was made just now, then serves until SIGINT or SIGTERM. Errors: those of
// the address, the token file and the port.
Status serve(mcp::Features& features, const ServeOptions& options,
             const std::function<void(std::string_view line)>& say);

}  // namespace loci::http
