// What an answer lacks, for a model to read: whoever finds nothing must know whether everything was looked at.
#pragma once

#include <string>

#include "api/json.h"

namespace loci::mcp {

// A line for each part that the "degraded" of an answer of the api names, each behind a line break. Empty for an answer
// that lacks nothing.
std::string degraded_text(const Json& body);

}  // namespace loci::mcp
