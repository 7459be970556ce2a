// What MemPalace lets into a palace, with the texts of its errors.
#pragma once

#include "api/json.h"
#include "api/operation.h"
#include "loci/result.h"

namespace loci::mcp {

// The arguments of a call, with the spaces around names left out where the tool writes. Errors: invalid_argument for a
// content, a new name or a list of ids that is too long, and for a new name with characters that names do not have.
// Tools that read may ask for any name, since Loci itself allows more.
Result<Json> within_rules(Json arguments, Effect effect);

}  // namespace loci::mcp
