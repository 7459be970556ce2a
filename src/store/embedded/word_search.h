// The rows that match a question by its words, best first: BM25, as a share of the best that the question could reach.
//
// Plain BM25 scores of two questions cannot be compared, so nothing outside the word index can tell a strong match from
// a weak one. Divided by the sum that a row with every word of the question, each of them often, would approach, the
// score says how much of the question was found, rare words counting more: near 1 for a row that has all of it, near 0
// for one that shares a common word with it.
//
// Ranks before it fetches. What a row can score at most follows from the counts of its words alone; rows are looked at
// in the order of that, their sizes read one by one, until no row that is left can come among the best. So a row that
// shares only common words with the question costs a few additions. The answer is that of ranking every row. Sizes that
// had to be read for nearly all rows are kept while nothing changes (snapshot_memory.h); then there is nothing to
// fetch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "loci/result.h"
#include "store/embedded/row_ranking.h"
#include "store/embedded/sqlite.h"

namespace loci::embedded {

// The best `n_results` rows in which any word of the text occurs, equal scores by row. `among`: only these rows,
// ascending; null: all. Errors: invalid_argument when there is no word to look for.
Result<std::vector<RankedRow>> matching_rows(Connection& connection, std::int64_t collection, std::string_view text,
                                             std::size_t n_results, const std::vector<std::int64_t>* among);

}  // namespace loci::embedded
