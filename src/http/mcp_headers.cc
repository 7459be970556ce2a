#include "http/mcp_headers.h"

#include <algorithm>
#include <cctype>

#include <openssl/evp.h>

namespace loci::http {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_same_word(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  });
}

// "application/json; charset=utf-8" → "application/json".
std::string_view media_type_of(std::string_view value) { return trimmed(value.substr(0, value.find(';'))); }

mcp::RpcError mismatch(std::string message) { return {.code = mcp::kHeaderMismatch, .message = std::move(message)}; }

// What Mcp-Name repeats; null for methods without it.
const Json* named_by(const mcp::Message& message) {
  if (message.method == "tools/call" || message.method == "prompts/get") return mcp::member(message.params, "name");
  if (message.method == "resources/read") return mcp::member(message.params, "uri");
  if (message.method.starts_with("tasks/")) return mcp::member(message.params, "taskId");
  return nullptr;
}

}  // namespace

bool accepts(const IncomingRequest& request, std::string_view media_type) {
  bool has_accept = false;
  for (const auto& [name, value] : request.headers) {
    if (name != "accept") continue;
    has_accept = true;
    for (std::string_view rest = value;;) {
      const std::size_t comma = rest.find(',');
      const std::string_view range = media_type_of(rest.substr(0, comma));
      if (range == "*/*" || is_same_word(range, media_type)) return true;
      if (range.ends_with("/*") && media_type.starts_with(range.substr(0, range.size() - 1))) return true;
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
  return !has_accept;
}

std::optional<Reply> check_media_types(const IncomingRequest& request) {
  if (!is_same_word(media_type_of(request.header("content-type").value_or(std::string_view())), "application/json"))
    return error_reply(415, "the body must be application/json");
  if (!accepts(request, "application/json") || !accepts(request, "text/event-stream"))
    return error_reply(406, "the header Accept must take both application/json and text/event-stream");
  return std::nullopt;
}

std::optional<std::string> decode_header_value(std::string_view value) {
  constexpr std::string_view kStart = "=?base64?";
  constexpr std::string_view kEnd = "?=";
  if (value.size() < kStart.size() + kEnd.size() || !value.starts_with(kStart) || !value.ends_with(kEnd))
    return std::string(value);
  const std::string_view code = value.substr(kStart.size(), value.size() - kStart.size() - kEnd.size());
  if (code.size() % 4 != 0) return std::nullopt;
  std::string decoded(code.size() / 4 * 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(decoded.data()),
                                   reinterpret_cast<const unsigned char*>(code.data()), static_cast<int>(code.size()));
  if (size < 0) return std::nullopt;
  const std::size_t padding = code.ends_with("==") ? 2 : code.ends_with("=") ? 1 : 0;
  decoded.resize(static_cast<std::size_t>(size) - padding);
  return decoded;
}

std::optional<mcp::RpcError> check_standard_headers(const IncomingRequest& request, const mcp::Message& message) {
  const std::optional<std::string_view> version = request.header("mcp-protocol-version");
  const Json* said = mcp::meta(message, mcp::kVersionKey);
  if (!version) return mismatch("the header MCP-Protocol-Version is missing");
  if (said == nullptr || !said->is_string() || said->get_ref<const std::string&>() != *version)
    return mismatch("the header MCP-Protocol-Version and the protocol version in the body differ");
  const std::optional<std::string_view> method = request.header("mcp-method");
  if (!method) return mismatch("the header Mcp-Method is missing");
  if (*method != message.method) return mismatch("the header Mcp-Method and the method in the body differ");
  const Json* name = named_by(message);
  if (name == nullptr || !name->is_string()) return std::nullopt;
  const std::optional<std::string_view> header = request.header("mcp-name");
  if (!header) return mismatch("the header Mcp-Name is missing");
  if (request.count("mcp-name") > 1 || decode_header_value(*header) != name->get_ref<const std::string&>())
    return mismatch("the header Mcp-Name and the name in the body differ");
  return std::nullopt;
}

}  // namespace loci::http
