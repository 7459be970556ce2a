// From a question to drawers: the one search that every face uses.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "loci/collection.h"
#include "loci/embedder.h"
#include "loci/filter.h"
#include "loci/record.h"
#include "loci/result.h"
#include "text/snippet.h"

namespace loci {

struct SearchRequest {
  std::string query;
  Filter where = {};
  std::size_t limit = 10;
};

struct SearchHit {
  Record record;
  double score = 0;  // larger is better
  std::optional<double> similarity =
      {};            // of the meaning, by the collection's metric; absent: the record has no vector
  double words = 0;  // how much of the question it has word for word, from 0 to 1
  std::vector<Highlight> highlights = {};
  std::vector<std::string> also_in = {};  // ids of further hits with the very same text
};

struct SearchAnswer {
  std::string searched_for;  // the part of the query that asks
  std::vector<SearchHit> hits;
  std::optional<Error> embedder_error = {};  // why the hits were found by words only, although there is an embedder
};

// By words, and by meaning when there is an embedder; both over all records that pass the filter. The embedder must be
// the one that made the collection's vectors. Writes nothing. Errors: invalid_argument for a query with nothing to look
// for; those of the collection.
Result<SearchAnswer> hybrid_search(const Collection& drawers, const Embedder* embedder, const SearchRequest& request);

}  // namespace loci
