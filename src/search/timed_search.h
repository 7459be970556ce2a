// Where the time of a search goes: the search itself, over a collection and an embedder that are watched.
#pragma once

#include <optional>

#include "loci/collection.h"
#include "loci/embedder.h"
#include "loci/result.h"
#include "search/hybrid_search.h"

namespace loci {

struct SearchTimes {
  double embed_ms = 0;
  double words_ms = 0;    // Collection::match
  double vectors_ms = 0;  // Collection::query
  double fetch_ms = 0;    // every other read: vectors of those that only the words found, the records of the best
  double rest_ms = 0;     // reading the question, fusing, folding, highlights
  double total_ms = 0;
};

struct TimedAnswer {
  SearchAnswer answer;
  SearchTimes times;
};

// As hybrid_search.
Result<TimedAnswer> timed_search(const Collection& drawers, const Embedder* embedder, const SearchRequest& request);

}  // namespace loci
