// Working off the queue of drawers that wait for their vectors: what embed does, and mine --wait.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "api/caller.h"
#include "api/json.h"
#include "api/session.h"
#include "loci/collection.h"
#include "loci/embedder.h"
#include "loci/result.h"

namespace loci {

// Errors: invalid_argument without an embedder, listing what there is.
Result<const Embedder*> embedder_in_force(Session& session, const Settings& settings);

struct EmbedQueueReport {
  std::size_t embedded = 0;
  std::size_t pending = 0;  // left over
  std::string model;
  std::vector<RefusedText> refused = {};
};
// [{"id", "reason"}, …]
Json refused_to_json(const std::vector<RefusedText>& refused);

// Until nothing waits any more, also of what other processes have in hand, or the caller has enough.
Result<EmbedQueueReport> embed_waiting(Session& session, const ChosenPalace& palace, Caller& caller);

}  // namespace loci
