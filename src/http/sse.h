// Server-sent events, as text/event-stream has them.
#pragma once

#include <string>
#include <string_view>

namespace loci::http {

// One event. The id is left out when it is empty; line ends in the data become several data lines.
std::string sse_event(std::string_view data, std::string_view id = {});

// A comment, which clients ignore: a sign of life.
inline constexpr std::string_view kSseHeartbeat = ": \n\n";

}  // namespace loci::http
