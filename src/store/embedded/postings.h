// Where the words of a question stand in the word index: for each of them the rows that have it, and how often.
//
// FTS5 hands a list over row by row without computing a rank, reading the size of a text or sorting anything; what is
// costly about a row is left to those who find it worth it (word_search.h). The lists of words that many rows have are
// kept while nothing changes (snapshot_memory.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <sqlite3.h>

#include "loci/result.h"
#include "store/embedded/sqlite.h"

namespace loci::embedded {

struct Posting {
  std::int64_t row = 0;
  std::uint32_t count = 0;  // of the phrase in the row's text
};
using PostingList = std::shared_ptr<const std::vector<Posting>>;  // by ascending row; never null

// Of the whole index.
struct WordTotals {
  std::int64_t rows = 0;
  double average_size = 1;  // of a text, in words
};

struct Postings {
  WordTotals totals;
  std::vector<PostingList> phrases;  // in the order of the terms
};

// Of these terms (query_words.h). Without phrases when none of them occurs.
Result<Postings> read_postings(Connection& connection, std::int64_t collection, std::span<const std::string> terms);

// Registers the FTS5 auxiliary function that read_postings uses.
int register_postings(fts5_api* fts5);

}  // namespace loci::embedded
