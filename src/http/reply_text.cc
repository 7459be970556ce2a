#include "http/reply_text.h"

#include <algorithm>
#include <string_view>

namespace loci::http {
namespace {

std::string_view reason(int status) {
  switch (status) {
    case 200: return "OK";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 409: return "Conflict";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 503: return "Service Unavailable";
    case 505: return "HTTP Version Not Supported";
    default: return "Status";
  }
}

bool is_clean(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char each) { return each >= ' ' && each != 0x7f; });
}

}  // namespace

std::string reply_text(const Reply& reply, const ReplyForm& form) {
  std::string text = "HTTP/1.1 " + std::to_string(reply.status) + " ";
  text.append(reason(reply.status)).append("\r\n");
  for (const auto& [name, value] : reply.headers) {
    if (is_clean(name) && is_clean(value)) text.append(name).append(": ").append(value).append("\r\n");
  }
  text += "cache-control: no-store\r\nx-content-type-options: nosniff\r\n";
  if (form.is_stream && form.is_chunked) text += "transfer-encoding: chunked\r\n";
  if (!form.is_stream && reply.status != 204) text += "content-length: " + std::to_string(reply.body.size()) + "\r\n";
  text += form.keeps_alive ? "connection: keep-alive\r\n\r\n" : "connection: close\r\n\r\n";
  if (!form.is_stream && !form.is_head_request) text += reply.body;
  return text;
}

}  // namespace loci::http
