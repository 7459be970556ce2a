// One Chroma database on a server, over HTTP v2: what is said and how answers are understood. Stateless but for the
// place; any thread may use it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/stop_time.h"
#include "loci/backend.h"
#include "loci/result.h"
#include "net/http_client.h"
#include "net/retry.h"
#include "store/chroma/json.h"

namespace loci::chroma {

struct ServerOptions {
  std::optional<std::string> token = {};  // sent as x-chroma-token and as a bearer token
  HttpTransport transport = {};           // empty: send_http
  RetryPolicy retry = {};
  Sleep sleep = {};                // empty: really
  const StopTime* stop = nullptr;  // when it has come, the server is not waited for, nor asked again; null: never
};

// Which database of which server.
struct ServerPlace {
  std::string url;  // http://HOST:PORT
  std::string tenant = "default_tenant";
  std::string database = "default_database";
};

// From the address http://HOST:PORT[/TENANT[/DATABASE]]; a namespace is the database of an address that names none.
// Errors: invalid_argument.
Result<ServerPlace> parse_place(const PalaceRef& palace);

// May the same request be sent again when nobody knows whether it arrived?
enum class Repeat { may, must_not };

class ServerClient {
 public:
  ServerClient(ServerPlace place, ServerOptions options) : place_(std::move(place)), options_(std::move(options)) {}

  // The answer to a request below the database, such as GET "collections". An error body becomes the contract's kind:
  // 404 not_found, 409 already_exists, 400 and 422 invalid_argument, 401 and 403 unavailable, and so on.
  Result<Json> call(std::string_view method, std::string_view path, const Json& body = nullptr,
                    Repeat repeat = Repeat::may) const;

  // Is the database there? Errors: unavailable.
  Result<bool> has_database() const;
  // Makes tenant and database if they are missing.
  Status make_database() const;

  // What GET /api/v2/NAME answers, such as "version".
  Result<Json> about(std::string_view name) const;

  const ServerPlace& place() const { return place_; }

 private:
  Result<Json> send(std::string_view method, const std::string& target, const Json& body, Repeat repeat) const;
  Result<HttpResponse> exchange(const HttpRequest& request, Repeat repeat) const;

  const ServerPlace place_;
  const ServerOptions options_;
};

// For one part of a path: everything but letters, digits and -._~ as %XX.
std::string percent_encoded(std::string_view text);

}  // namespace loci::chroma
