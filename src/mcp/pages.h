// Long lists in pages.
#pragma once

#include <string_view>

#include "mcp/protocol.h"

namespace loci::mcp {

// The page of the list under `key` that the cursor of the request names, with the cursor of the next one; an error is
// handed on. A cursor that we did not make is an error.
Reply page_of(Reply whole, std::string_view key, const Json& params);

}  // namespace loci::mcp
