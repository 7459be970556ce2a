// The words of the Model Context Protocol: its revisions, its error codes, and JSON-RPC messages as values.
//
// There are two eras. In the legacy one (2024-11-05 to 2025-11-25) a client opens a session with `initialize`; in the
// modern one (2026-07-28) every request carries its protocol version and the client's capabilities in `params._meta`.
// One process speaks both; each message says by itself to which era it belongs. Pure functions; any thread may call
// them.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "api/json.h"

namespace loci::mcp {

enum class Era { legacy, modern };

inline constexpr std::string_view kModernVersion = "2026-07-28";
// Oldest first: the dates compare as texts.
inline constexpr std::array<std::string_view, 4> kLegacyVersions = {"2024-11-05", "2025-03-26", "2025-06-18",
                                                                    "2025-11-25"};
inline constexpr std::string_view kNewestLegacyVersion = kLegacyVersions.back();

bool is_legacy_version(std::string_view version);
// All of them, newest first, as a JSON list.
Json supported_versions();

inline constexpr std::string_view kVersionKey = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kClientCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kServerInfoKey = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view kLogLevelKey = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view kSubscriptionKey = "io.modelcontextprotocol/subscriptionId";
inline constexpr std::string_view kTasksExtension = "io.modelcontextprotocol/tasks";

inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kResourceNotFound = -32002;  // legacy; the modern era has kInvalidParams for it
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kMissingCapability = -32021;
inline constexpr int kUnsupportedVersion = -32022;

struct RpcError {
  int code = kInternalError;
  std::string message;
  Json data = nullptr;  // null: none
};
// A result as it goes over the wire, or an error.
using Reply = std::variant<Json, RpcError>;

// What a client sent, checked as JSON-RPC.
struct Message {
  enum class Kind { request, notification, response };
  Kind kind = Kind::request;
  Json id = nullptr;      // of a request or response: text or integer
  std::string method;     // of a request or notification
  Json params;            // an object, also when there were none
  Json result = nullptr;  // of a response
  Json error = nullptr;   // of a response: null when it has a result
};
// What is no message; the id is null when none could be read.
struct Refusal {
  Json id = nullptr;
  RpcError error;
};
std::variant<Message, Refusal> read_message(Json json);

// The value under the key of `params._meta`; null when there is none.
const Json* meta(const Message& message, std::string_view key);

// By what the message says; `server/discover` is modern whatever it says.
Era era_of(const Message& message);

// What is wrong with the metadata that a modern request must carry. HTTP answers such a request with status 400.
std::optional<RpcError> check_metadata(const Message& message);

// The HTTP status for a response that is the only message of an answer: 404 for a method that does not exist, 400 for
// what the protocol refuses before it is run, else 200. What check_metadata refuses is 400 besides.
int http_status(const Json& response);

Json result_message(const Json& id, Json result);
Json error_message(const Json& id, const RpcError& error);
Json notification(std::string_view method, Json params);

// An object's member; null when the value is no object or has no such member.
const Json* member(const Json& value, std::string_view key);
// The same, of a text; empty when it is not one.
std::string text_member(const Json& value, std::string_view key);

}  // namespace loci::mcp
