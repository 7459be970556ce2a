// How well a row matches a question by its words: BM25, as a share of the best that the question could reach.
//
// Plain BM25 scores of two questions cannot be compared, so nothing outside the word index can tell a strong match from
// a weak one. Divided by the sum that a row with every word of the question, each of them often, would approach, the
// score says how much of the question was found, rare words counting more: near 1 for a row that has all of it, near 0
// for one that shares a common word with it.
#pragma once

#include <sqlite3.h>

namespace loci::embedded {

// The name of the FTS5 auxiliary function. It gives the share from 0 to 1 with a minus sign, since FTS5 ranks the
// smallest value first.
inline constexpr const char* kWordRank = "loci_rank";

int register_word_rank(fts5_api* fts5);

}  // namespace loci::embedded
