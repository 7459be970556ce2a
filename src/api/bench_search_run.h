// `bench search`: one of the benches of the operation `bench`.
#pragma once

#include "api/operation.h"
#include "loci/result.h"
#include "ops/bench_measure.h"

namespace loci {

class Backend;

// How long a search takes, stage by stage, with the embedder in force. Errors: those of the backend and the embedder.
Result<Answer> run_search_bench(Session& session, Backend& backend, const Request& request,
                                const BenchProgress& progress);

}  // namespace loci
