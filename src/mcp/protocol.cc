#include "mcp/protocol.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"

namespace loci::mcp {
namespace {

constexpr std::size_t kMaxIdBytes = 512;
constexpr std::size_t kMaxMethodBytes = 256;

bool is_usable_id(const Json& id) {
  if (id.is_string()) {
    const auto& text = id.get_ref<const std::string&>();
    return text.size() <= kMaxIdBytes && is_valid_utf8(text);
  }
  return id.is_number_integer();
}

Refusal refuse(Json id, std::string message) {
  return {.id = std::move(id), .error = {.code = kInvalidRequest, .message = std::move(message)}};
}

std::variant<Message, Refusal> read_response(Json json, Json id) {
  Message message = {.kind = Message::Kind::response, .id = std::move(id), .method = {}, .params = Json::object()};
  if (json.contains("result") == json.contains("error")) {
    return refuse(nullptr, "a message has a method, a result or an error");
  }
  if (json.contains("result")) message.result = std::move(json["result"]);
  if (json.contains("error")) message.error = std::move(json["error"]);
  return message;
}

}  // namespace

bool is_legacy_version(std::string_view version) {
  return std::find(kLegacyVersions.begin(), kLegacyVersions.end(), version) != kLegacyVersions.end();
}

Json supported_versions() {
  Json versions = Json::array({kModernVersion});
  for (auto version = kLegacyVersions.rbegin(); version != kLegacyVersions.rend(); ++version) {
    versions.push_back(*version);
  }
  return versions;
}

std::variant<Message, Refusal> read_message(Json json) {
  if (!json.is_object()) return refuse(nullptr, "a message is a JSON object");
  const bool has_id = json.contains("id");
  Json id = has_id ? json["id"] : Json(nullptr);
  if (has_id && !is_usable_id(id)) return refuse(nullptr, "the id must be an integer or a text of at most 512 bytes");
  if (text_member(json, "jsonrpc") != "2.0") return refuse(std::move(id), "jsonrpc must be \"2.0\"");
  if (!json.contains("method")) {
    if (!has_id) return refuse(nullptr, "a message has a method, a result or an error");
    return read_response(std::move(json), std::move(id));
  }
  if (!json["method"].is_string() || json["method"].get_ref<const std::string&>().size() > kMaxMethodBytes) {
    return refuse(std::move(id), "the method must be a text of at most 256 bytes");
  }
  Message message = {.kind = has_id ? Message::Kind::request : Message::Kind::notification,
                     .id = std::move(id),
                     .method = json["method"].get<std::string>(),
                     .params = Json::object()};
  if (json.contains("params")) {
    if (!json["params"].is_object()) return refuse(std::move(message.id), "params must be an object");
    message.params = std::move(json["params"]);
  }
  return message;
}

const Json* meta(const Message& message, std::string_view key) {
  const Json* object = member(message.params, "_meta");
  return object == nullptr ? nullptr : member(*object, key);
}

Era era_of(const Message& message) {
  return message.method == "server/discover" || meta(message, kVersionKey) != nullptr ? Era::modern : Era::legacy;
}

std::optional<RpcError> check_metadata(const Message& message) {
  const Json* version = meta(message, kVersionKey);
  if (version == nullptr || !version->is_string()) {
    return RpcError{kInvalidParams, "params._meta must carry " + std::string(kVersionKey)};
  }
  if (*version != kModernVersion) {
    return RpcError{kUnsupportedVersion,
                    "the protocol version is not supported in requests of their own",
                    {{"supported", supported_versions()}, {"requested", *version}}};
  }
  const Json* capabilities = meta(message, kClientCapabilitiesKey);
  if (capabilities == nullptr || !capabilities->is_object()) {
    return RpcError{kInvalidParams, "params._meta must carry " + std::string(kClientCapabilitiesKey)};
  }
  return std::nullopt;
}

int http_status(const Json& response) {
  const Json* error = member(response, "error");
  const Json* code = error == nullptr ? nullptr : member(*error, "code");
  if (code == nullptr || !code->is_number_integer()) return 200;
  switch (code->get<int>()) {
    case kMethodNotFound: return 404;
    case kParseError:
    case kInvalidRequest:
    case kHeaderMismatch:
    case kMissingCapability:
    case kUnsupportedVersion: return 400;
    default: return 200;
  }
}

Json result_message(const Json& id, Json result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

Json error_message(const Json& id, const RpcError& error) {
  Json body = {{"code", error.code}, {"message", error.message}};
  if (!error.data.is_null()) body["data"] = error.data;
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(body)}};
}

Json notification(std::string_view method, Json params) {
  Json message = {{"jsonrpc", "2.0"}, {"method", method}};
  if (!params.is_null()) message["params"] = std::move(params);
  return message;
}

const Json* member(const Json& value, std::string_view key) {
  if (!value.is_object()) return nullptr;
  const auto found = value.find(std::string(key));
  return found == value.end() ? nullptr : &*found;
}

std::string text_member(const Json& value, std::string_view key) {
  const Json* found = member(value, key);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace loci::mcp
