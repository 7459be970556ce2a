// Where the words of a question stand in the word index: for each of them the rows that have it, and how often.
//
// FTS5 hands a list over row by row without computing a rank, reading the size of a text or sorting anything; what is
// costly about a row is left to those who find it worth it (word_search.h).
#pragma once

#include <cstdint>
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

struct Postings {
  std::int64_t rows = 0;                      // in the index
  double average_size = 1;                    // of a text, in words
  std::vector<std::vector<Posting>> phrases;  // in the order of the expression, each by ascending row
};

// Of an FTS5 expression whose phrases are joined by OR. Without phrases when none occurs.
Result<Postings> read_postings(Connection& connection, std::int64_t collection, const std::string& expression);

// Registers the FTS5 auxiliary function that read_postings uses.
int register_postings(fts5_api* fts5);

}  // namespace loci::embedded
