// What a search by meaning has to work with, and what its answer lacks: for all operations that search.
#pragma once

#include <cstdint>
#include <string>

#include "api/json.h"
#include "api/session.h"
#include "loci/collection.h"
#include "loci/embedder.h"
#include "search/hybrid_search.h"

namespace loci {

// What searches by meaning, or why nothing does.
struct Meaning {
  const Embedder* embedder = nullptr;
  std::string reason = {};
};
Meaning meaning_for(Session& session, const Settings& settings, const CollectionInfo& drawers);

// What the answer lacks, why, and what to do about it.
Json degraded_parts(const Meaning& meaning, const CollectionInfo& info, const SearchAnswer& found);

// In days from 1970-01-01: what "last week" counts from.
std::int64_t today();

}  // namespace loci
