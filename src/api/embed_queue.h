// Working off the queue of drawers that wait for their vectors: what embed does, and mine and import where they wait
// for it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "api/caller.h"
#include "api/json.h"
#include "api/operation.h"
#include "api/session.h"
#include "loci/collection.h"
#include "loci/embedder.h"
#include "loci/result.h"

namespace loci {

// Texts that are embedded in one step: what is lost when a worker dies, and how long others wait for the writer.
inline constexpr std::size_t kEmbeddingBatch = 64;

// Errors: invalid_argument without an embedder, listing what there is.
Result<const Embedder*> embedder_in_force(Session& session, const Settings& settings);

struct EmbedQueueReport {
  std::size_t embedded = 0;
  std::size_t pending = 0;  // left over
  std::size_t missing = 0;  // without a vector, and nothing tries to make one
  std::string model;
  std::vector<RefusedText> refused = {};
  std::string index_problem = {};  // why the vector index could not be brought up to date; empty: it was

  bool has_problem() const { return !refused.empty() || !index_problem.empty(); }
};
// [{"id", "reason"}, …]
Json refused_to_json(const std::vector<RefusedText>& refused);

// Until nothing waits any more, also of what other processes have in hand, and the index is up to date, or the caller
// has enough.
Result<EmbedQueueReport> embed_waiting(Session& session, const ChosenPalace& palace, Caller& caller);
// "embedded", "pending", "missing", "refused" and "index_problem".
void add_to(Json& body, const EmbedQueueReport& report);

// What the setting `embed: now` asks for when texts were stored otherwise than one by one: embed_waiting for every
// collection whose texts may wait for the embedder in force. The texts are stored whatever becomes of it, so that the
// answer tells it as "embedding": what add_to adds, or an "error".
void embed_now(Session& session, const ChosenPalace& palace, Caller& caller, Answer& answer);

// Brings the index up to date, or as far as the caller waits for it.
Status build_index(Collection& drawers, Caller& caller);

// The palace with each collection but the one in force that has texts waiting for a vector of the embedder in force.
Result<std::vector<ChosenPalace>> other_queues(Session& session, const ChosenPalace& palace);

}  // namespace loci
