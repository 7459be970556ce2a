// Candidates: what words, vectors and exact terms find, each over the whole collection and inside the filter.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>

#include "loci/collection.h"
#include "loci/filter.h"
#include "loci/record.h"
#include "loci/result.h"
#include "search/fusion.h"
#include "search/understand_query.h"

namespace loci {

using Candidates = std::unordered_map<std::string, Candidate>;  // by id

// The best `count` by words.
Status add_by_words(const Collection& drawers, const Filter& where, const std::string& question, std::size_t count,
                    Candidates& candidates);

// The nearest `count` by meaning, and the similarities of those that only the words found: without them these would be
// ranked too low.
Status add_by_meaning(const Collection& drawers, const Filter& where, const Embedding& question, std::size_t count,
                      Candidates& candidates);

// Those that have an exact term which hardly any drawer has, letter by letter but for capitals.
Status add_exact(const Collection& drawers, const Filter& where, const QueryFacts& facts, Candidates& candidates);

// The filter narrowed to drawers whose date is near the days of the question.
Filter near_dates(const Filter& where, const QueryFacts& facts);

// Fills in what the metadata say: the source, and the nearness to the days of the question.
Status add_metadata(const Collection& drawers, const QueryFacts& facts, Candidates& candidates);

}  // namespace loci
