// JSON at the border of the program. nlohmann::json throws; these functions do not.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "loci/result.h"

namespace loci {

using Json = nlohmann::ordered_json;  // answers read in the order in which they were written

// Deeper than any request or configuration is, and far from what would exhaust the stack.
inline constexpr int kMaxJsonDepth = 64;

// `what` opens the message: "--where is not JSON: line 1, column 7: …". A key that stands twice in one object is an
// error: one of its values would be dropped silently. An integer of more than 64 bits is no number, but what
// api/long_integer.h says. Errors: invalid_argument.
Result<Json> parse_json(std::string_view text, std::string_view what);

// An object that takes so many members before it has to move them, which means to copy all their names.
Json object_with_room(std::size_t members);

// An empty text is nothing to tell: null.
Json text_or_null(const std::string& text);

enum class JsonLayout { one_line, indented };
// Bytes that are not UTF-8 are written as U+FFFD, so that what comes out is JSON whatever went in.
std::string to_text(const Json& json, JsonLayout layout);

// How many bytes to_text() makes of it on one line, numbers counted as long as they get: for what must fit, without
// writing it out. Strings are taken to be UTF-8.
std::size_t text_bytes(const Json& json);

}  // namespace loci
