// What the headers of a request say about the MCP message in its body. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"
#include "mcp/protocol.h"

namespace loci::http {

// 415 and 406 for a POST that does not bring JSON, or would not take what may come back.
std::optional<Reply> check_media_types(const IncomingRequest& request);

// Does the header Accept (none: everything) take this media type?
bool accepts(const IncomingRequest& request, std::string_view media_type);

// The error for a modern message whose headers MCP-Protocol-Version, Mcp-Method or Mcp-Name are missing or do not say
// what the body says.
std::optional<mcp::RpcError> check_standard_headers(const IncomingRequest& request, const mcp::Message& message);

// A header's value with what it says in base64 ("=?base64?…?=") decoded; nothing when that cannot be done.
std::optional<std::string> decode_header_value(std::string_view value);

}  // namespace loci::http
