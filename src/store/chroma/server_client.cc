#include "store/chroma/server_client.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "net/url.h"
#include "store/contract.h"

namespace loci::chroma {
namespace {

constexpr std::size_t kAnswerBytes = std::size_t{1} << 30;  // a page of long documents

bool is_temporary_failure(const Result<HttpResponse>& answer) {
  if (!answer.ok()) return answer.error().kind == ErrorKind::unavailable;
  // Not 500: that is Chroma's answer to a question, and the same one next time.
  return answer->status == 408 || answer->status == 429 || (answer->status >= 502 && answer->status <= 504);
}

ErrorKind kind_of(int status) {
  switch (status) {
    case 400:
    case 413:
    case 422: return ErrorKind::invalid_argument;
    case 404: return ErrorKind::not_found;
    case 409: return ErrorKind::already_exists;
    case 410:
    case 501: return ErrorKind::unsupported;
    case 408:
    case 429: return ErrorKind::busy;
    case 500: return ErrorKind::internal;
    default: return ErrorKind::unavailable;
  }
}

Error error_of(const ServerPlace& place, const HttpResponse& response) {
  const Json body = Json::parse(response.body, nullptr, false);
  std::string message = body.is_object() && body.contains("message") && body["message"].is_string()
                            ? body["message"].get<std::string>()
                            : "status " + std::to_string(response.status);
  if (response.status == 401 || response.status == 403) message += "; is the token right?";
  if (response.status == 413) message += "; the record is too long for this server";
  return {kind_of(response.status), "the Chroma server " + place.url + ": " + message};
}

}  // namespace

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain =
        (byte < 128 && std::isalnum(byte) != 0) || std::string_view("-._~").find(c) != std::string_view::npos;
    if (is_plain) {
      encoded += c;
    } else {
      encoded += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
    }
  }
  return encoded;
}

Result<ServerPlace> parse_place(const PalaceRef& palace) {
  const Url url = TRY(parse_url(palace.id));
  ServerPlace place{.url = std::string(url.is_secure ? "https://" : "http://") + host_header(url)};
  std::vector<std::string> parts;
  std::string_view rest = url.target;
  if (rest.find('?') != std::string_view::npos) rest = "/?";
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    if (slash > 0) parts.emplace_back(rest.substr(0, slash));
    rest.remove_prefix(slash);
  }
  if (parts.size() > 2 || (!parts.empty() && parts.front() == "?")) {
    return Error{ErrorKind::invalid_argument,
                 "a Chroma server's address is http://HOST:PORT[/TENANT[/DATABASE]], not " + palace.id};
  }
  if (!parts.empty()) place.tenant = parts[0];
  if (parts.size() == 2) place.database = parts[1];
  if (palace.palace_namespace) {
    if (parts.size() == 2) {
      return Error{ErrorKind::invalid_argument,
                   "the address " + palace.id + " names a database already; leave the namespace out"};
    }
    place.database = *palace.palace_namespace;
  }
  return place;
}

Result<Json> ServerClient::call(std::string_view method, std::string_view path, const Json& body, Repeat repeat) const {
  const std::string database =
      "/api/v2/tenants/" + percent_encoded(place_.tenant) + "/databases/" + percent_encoded(place_.database) + "/";
  return send(method, database + std::string(path), body, repeat);
}

Result<Json> ServerClient::about(std::string_view name) const {
  return send("GET", "/api/v2/" + std::string(name), nullptr, Repeat::may);
}

Result<bool> ServerClient::has_database() const {
  const Result<Json> database = send(
      "GET", "/api/v2/tenants/" + percent_encoded(place_.tenant) + "/databases/" + percent_encoded(place_.database),
      nullptr, Repeat::may);
  if (database.ok()) return true;
  if (database.error().kind == ErrorKind::not_found) return false;
  return database.error();
}

Status ServerClient::make_database() const {
  const auto make = [&](const std::string& target, const std::string& name) -> Status {
    const Result<Json> made = send("POST", target, {{"name", name}}, Repeat::may);
    // Another one may have been faster, or this one, when the answer to its first attempt was lost.
    if (made.ok() || made.error().kind == ErrorKind::already_exists) return ok_status();
    return made.error();
  };
  TRY(make("/api/v2/tenants", place_.tenant));
  return make("/api/v2/tenants/" + percent_encoded(place_.tenant) + "/databases", place_.database);
}

Result<Json> ServerClient::send(std::string_view method, const std::string& target, const Json& body,
                                Repeat repeat) const {
  HttpRequest request{.method = std::string(method), .url = join_url(place_.url, target)};
  request.headers = {{"Content-Type", "application/json"}};
  if (options_.token) {
    request.headers.emplace_back("x-chroma-token", *options_.token);
    request.headers.emplace_back("Authorization", "Bearer " + *options_.token);
  }
  if (!body.is_null()) request.body = body.dump();
  const HttpResponse response = TRY(exchange(request, repeat));
  if (response.status < 200 || response.status > 299) return error_of(place_, response);
  Json answer = Json::parse(response.body, nullptr, false);
  if (answer.is_discarded()) {
    return Error{ErrorKind::io, "the Chroma server " + place_.url + " gave an answer that is no JSON"};
  }
  return answer;
}

Result<HttpResponse> ServerClient::exchange(const HttpRequest& request, Repeat repeat) const {
  const int attempts = repeat == Repeat::may ? options_.retry.attempts : 1;
  std::chrono::milliseconds delay = options_.retry.first_delay;
  for (int attempt = 1;; ++attempt) {
    Result<HttpResponse> answer = options_.transport
                                      ? options_.transport(request)
                                      : send_http(request, {.answer_bytes = kAnswerBytes, .stop = options_.stop});
    if (attempt >= attempts || !is_temporary_failure(answer)) return answer;
    if (options_.sleep) {
      options_.sleep(delay);
    } else if (options_.stop != nullptr) {
      options_.stop->sleep(delay);
    } else {
      std::this_thread::sleep_for(delay);
    }
    if (options_.stop != nullptr && options_.stop->has_come()) return answer;
    delay = std::min(delay * 2, options_.retry.longest_delay);
  }
}

}  // namespace loci::chroma
