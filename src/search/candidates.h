// Candidates: what words, vectors and exact terms find, each over the whole collection and inside the filter.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "loci/collection.h"
#include "loci/filter.h"
#include "loci/record.h"
#include "loci/result.h"
#include "search/fusion.h"
#include "search/understand_query.h"

namespace loci {

inline constexpr Include kIdsOnly = {.documents = false, .metadatas = false};

using Candidates = std::unordered_map<std::string, Candidate>;  // by id

// The best `count` by words.
Status add_by_words(const Collection& drawers, const Filter& where, const std::string& question, std::size_t count,
                    Candidates& candidates);

struct MeaningOfQuestion {
  Embedding vector;
  // Where that is the question in the first person (speakers.h): the question as it was typed. It finds candidates too,
  // since in a large palace many others say the same of themselves.
  std::optional<Embedding> as_typed = {};
  double trust = 1;    // trust_in_meaning()
  bool exact = false;  // compared with every vector, without an index
};

// The nearest `count` by meaning, and the similarities of those that only the words found: without them these would be
// ranked too low.
Status add_by_meaning(const Collection& drawers, const Filter& where, const MeaningOfQuestion& question,
                      std::size_t count, Candidates& candidates);

// What the drawers that the words found best say of themselves; best first is not kept.
Result<std::vector<Record>> best_by_words(const Collection& drawers, const Candidates& candidates);

// Those that have an exact term which hardly any drawer has, letter by letter (exact_match.h).
Status add_exact(const Collection& drawers, const Filter& where, const QueryFacts& facts, Candidates& candidates);

// The filter narrowed to drawers whose date is near the days of the question.
Filter near_dates(const Filter& where, const QueryFacts& facts);

// Fills in what the metadata say: the source, the nearness to the days of the question, whether somebody speaks whom it
// names, whether it is in the places that it names.
Status add_metadata(const Collection& drawers, const QueryFacts& facts, Candidates& candidates);

}  // namespace loci
