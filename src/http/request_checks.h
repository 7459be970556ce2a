// Who may ask: checked for every request before its body is read. Pure functions.
//
// A browser that was led to this machine by another site's name (DNS rebinding) says so in Host and Origin, so both
// must name the loopback interface, and a page must have come from this very server. No answer allows other origins.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"

namespace loci::http {

// Nothing when the request may go on. 400 for headers that stand twice and could be read in two ways, and for a query,
// where a token would end up in logs and histories; 403 for a foreign Host or Origin.
std::optional<Reply> check_origin(const IncomingRequest& head);

// 401 unless the request carries this token as "Authorization: Bearer …". Takes as long for any other token of the same
// length.
std::optional<Reply> check_token(const IncomingRequest& head, std::string_view token);

}  // namespace loci::http
