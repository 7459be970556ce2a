// Results in the form of the era and version that a client speaks.
#pragma once

#include <string_view>

#include "api/json.h"
#include "mcp/features.h"

namespace loci::mcp {

// {"name": …, "version": …}
Json identity_json(const Identity& identity);

// Adds what every modern result carries: its type, who made it (unless null), and for lists and resources how long they
// may be kept.
void shape_modern_result(Json& result, std::string_view method, const Json& server_info);

// Takes out what the version does not know yet.
void shape_legacy_result(Json& result, std::string_view version);

}  // namespace loci::mcp
