#include "http/sse.h"

namespace loci::http {

std::string sse_event(std::string_view data, std::string_view id) {
  std::string event;
  if (!id.empty()) event.append("id: ").append(id).append("\n");
  if (!data.empty()) event += "event: message\n";
  std::size_t start = 0;
  for (;;) {
    const std::size_t end = data.find_first_of("\r\n", start);
    event.append("data: ").append(data.substr(start, end == std::string_view::npos ? end : end - start)).append("\n");
    if (end == std::string_view::npos) break;
    start = end + (data.substr(end, 2) == "\r\n" ? 2 : 1);
  }
  return event + "\n";
}

}  // namespace loci::http
