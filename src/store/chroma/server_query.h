// The nearest records of one collection of a Chroma server.
#pragma once

#include <vector>

#include "loci/collection.h"
#include "store/chroma/server_client.h"
#include "store/chroma/server_collection.h"

namespace loci::chroma {

// For each of the queries, whose dimension is the collection's. When few records are in question, or an exact answer is
// asked for, their vectors are measured here; otherwise the server's index is asked, which is good but not exact.
Result<QueryResult> query_server(const ServerClient& client, const ServerCollectionRow& row,
                                 const QueryRequest& request, const std::vector<Embedding>& queries);

}  // namespace loci::chroma
