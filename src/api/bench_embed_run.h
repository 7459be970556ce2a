// `bench embed`: one of the benches of the operation `bench`.
#pragma once

#include "api/operation.h"
#include "loci/result.h"

namespace loci {

// How fast the embedder in force is: a local model as it is used and as exact as it can be, anything else as it is.
// Errors: those of the embedder; invalid_argument without one.
Result<Answer> run_embed_bench(Session& session, const Request& request, Caller& caller);

}  // namespace loci
