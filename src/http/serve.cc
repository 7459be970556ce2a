#include "http/serve.h"

#include <csignal>
#include <memory>
#include <optional>

#include "http/listen_address.h"
#include "http/mcp_endpoint.h"
#include "http/server.h"
#include "mcp/server.h"

namespace loci::http {

Status serve(mcp::Features& features, const ServeOptions& options,
             const std::function<void(std::string_view line)>& say) {
  const ListenAddress address = TRY(parse_listen_address(options.listen));
  std::optional<ServerToken> token;
  if (options.uses_token) token = TRY(load_token(options.token_file, options.keep_token));

  // A client or a log reader that has gone is no reason to end.
  std::signal(SIGPIPE, SIG_IGN);
  mcp::Server protocol(features);
  if (options.on_server) options.on_server(protocol);
  EndpointOptions endpoint_options;
  if (token) endpoint_options.token = token->token;
  endpoint_options.open_streams = options.limits.connections / 2;
  McpEndpoint endpoint(protocol, std::move(endpoint_options));
  const std::unique_ptr<Server> server = TRY(Server::open(address, options.limits, endpoint));
  server->stop_on_signals();

  say("listening on http://" + to_string(server->address()) + "/mcp");
  if (token && token->is_new) {
    const bool is_kept = options.keep_token == KeepToken::yes;
    say("token " + token->token + " (shown once; " +
        (is_kept ? "kept in " + options.token_file.string() : "for this run only, as read-only keeps nothing") + ")");
  }
  server->run();
  if (options.on_end) options.on_end();
  endpoint.close();
  protocol.finish();
  return {};
}

}  // namespace loci::http
