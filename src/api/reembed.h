// embed --model: all vectors of the palace by another model.
#pragma once

#include <string>

#include "api/caller.h"
#include "api/operation.h"
#include "api/session.h"
#include "loci/result.h"

namespace loci {

// Goes on where an earlier call was interrupted. When it is done the palace's own configuration names the embedder, so
// that new texts are embedded by the same model.
Result<Answer> reembed(Session& session, const ChosenPalace& palace, const std::string& embedder_name, Caller& caller);

Result<Answer> abandon_reembedding(Session& session, const ChosenPalace& palace);

// Null when none is under way; for status.
Result<Json> reembedding_to_json(Collection& drawers);

}  // namespace loci
