// Search by words: the drawers that have any word of the query, those that match best first.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "loci/collection.h"
#include "loci/record.h"
#include "loci/result.h"
#include "palace/place.h"
#include "text/snippet.h"

namespace loci {

struct SearchRequest {
  std::string query;
  Scope scope = {};
  std::size_t limit = 10;
};

struct SearchHit {
  Record record;
  double score = 0;                   // larger is better; comparable within one answer only
  std::vector<Highlight> highlights;  // what matched in the document
};

struct SearchAnswer {
  std::vector<SearchHit> hits;
  std::size_t drawers_in_scope = 0;
  std::size_t pending = 0;  // drawers of the collection that wait for their vector
};

// Errors: invalid_argument for a query without a word; unsupported for a backend without word search.
Result<SearchAnswer> search_words(const Collection& drawers, const SearchRequest& request);

}  // namespace loci
