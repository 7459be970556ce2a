// Writing records to one collection of a Chroma server, as the contract means add and upsert.
#pragma once

#include <span>
#include <vector>

#include "loci/collection.h"
#include "loci/embedder.h"
#include "store/chroma/server_client.h"
#include "store/chroma/server_collection.h"

namespace loci::chroma {

enum class IfIdExists { fail, replace };

// Expects records that passed check_records. Texts without a vector get theirs from the embedder; without one, or when
// it may not embed here, nothing is written. Errors: already_exists, dimension_mismatch, embedder_mismatch,
// unsupported for a record that would have no vector; what the server gives.
Result<std::vector<Written>> write_records(const ServerClient& client, const ServerCollectionRow& row,
                                           const Embedder* embedder, std::span<const Record> records,
                                           IfIdExists if_id_exists);

}  // namespace loci::chroma
