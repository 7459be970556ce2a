// From a question to drawers: the one search that every face uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "loci/collection.h"
#include "loci/embedder.h"
#include "loci/filter.h"
#include "loci/record.h"
#include "loci/result.h"
#include "search/fusion.h"
#include "search/search_stage.h"
#include "search/understand_query.h"
#include "text/snippet.h"

namespace loci {

struct SearchRequest {
  std::string query;
  Filter where = {};
  std::size_t limit = 10;
  SearchMode mode = SearchMode::hybrid;
  SearchUnit unit = SearchUnit::drawers;
  std::vector<SearchStage> without = {};  // stages to leave out, to see what each is worth
  bool exact = false;                     // by meaning: measure every vector, without an index
  bool with_highlights = true;
  std::optional<std::size_t> dimension = {};  // of the collection's vectors; absent: whatever the embedder gives fits
  std::optional<std::int64_t> today = {};     // days from 1970-01-01: what "last week" counts from; absent: ignored
};

struct SearchHit {
  Record record;
  double score = 0;       // larger is better
  ScoreParts parts = {};  // whose sum it is, where drawers are ranked
  std::optional<double> similarity =
      {};                               // of the meaning, by the collection's metric; absent: the record has no vector
  bool is_near = false;                 // found by its vector, and not by words alone
  double words = 0;                     // how much of the question it has word for word, from 0 to 1
  double date = 0;                      // how near it is to the days that the question names, from 0 to 1
  bool is_told = false;                 // by somebody whom the question names
  std::vector<std::string> exact = {};  // the terms of the question that only a few drawers have
  std::vector<Highlight> highlights = {};  // if they were asked for
  std::vector<std::string> also_in = {};   // ids of some other drawers with the very same text
  std::size_t copies = 0;                  // how many of them are known
};

struct SearchAnswer {
  std::string searched_for;                    // the part of the query that asks, without the quotes of lost phrases
  bool is_shortened = false;                   // it is not the whole query
  std::vector<std::string> lost_phrases = {};  // in quotes in the query and in no drawer: looked for word by word
  QueryFacts facts = {};                       // what else it says
  std::optional<std::string> told_as = {};     // how it was compared by meaning, where that is in the first person
  double readable_share = 1;  // how much of it the embedder can read; the less, the less meaning counts
  std::vector<SearchHit> hits;
  // Fewer hits than were asked for, since so many drawers have the texts of these that others were not reached.
  bool hides_texts_behind_copies = false;
  // Why the hits were found by words only, although there is an embedder: it failed, or a stored vector is damaged.
  std::optional<Error> embedder_error = {};
  std::optional<Error> words_error = {};  // why they were found by meaning only
};

// The error of an embedder whose vectors cannot be compared with the collection's.
Error other_dimension(std::size_t of_collection, const std::string& model, std::size_t of_model);

// By words, and by meaning when there is an embedder; both over all records that pass the filter. The embedder must be
// the one that made the collection's vectors. Writes nothing. Errors: invalid_argument for a query with nothing to look
// for; those of the collection.
Result<SearchAnswer> hybrid_search(const Collection& drawers, const Embedder* embedder, const SearchRequest& request);

}  // namespace loci
