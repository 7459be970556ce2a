// conformance_server [PORT]: the fixtures of the conformance suite, served by the product's own protocol and HTTP
// server without a token. Prints its address, and ends on SIGTERM.
#include <cstdio>
#include <string>

#include "http/serve.h"
#include "tests/mcp/fixture_features.h"

int main(int argc, char** argv) {
  loci::mcp::FixtureFeatures features;
  loci::http::ServeOptions options;
  options.listen = "127.0.0.1:" + std::string(argc > 1 ? argv[1] : "0");
  options.uses_token = false;
  options.on_server = [&features](loci::mcp::Server& server) { features.use(server); };
  const loci::Status status = loci::http::serve(features, options, [](std::string_view line) {
    std::printf("%.*s\n", static_cast<int>(line.size()), line.data());
    std::fflush(stdout);
  });
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.error().message.c_str());
  return 1;
}
