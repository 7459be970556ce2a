// From what a person typed to what the word index is asked.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loci {

// A query has at most so many words; of a longer one the middle is left out, since a pasted text has its question at
// one of its ends.
inline constexpr std::size_t kMaxQueryWords = 64;

// What the query asks the index for; a document that has any of the terms matches, and the more the better. A term is
//   a word as the index has it:                         "graphql"
//   several that follow each other, with single spaces: "parse http header"
//   or, with a star at the end, the beginning of one:   "東*"
// An identifier gives itself written as one word, its parts in a row and its longer parts alone, so that the text that
// has all of it comes first; a run of Chinese, Japanese, Korean or Thai gives its pairs of characters; a phrase in
// double quotes its words in a row. Common English words are left out unless there is nothing else. Each term comes
// once.
std::vector<std::string> query_terms(std::string_view query);

// Is it, as it was typed, one of the English words that are in almost every text ("does", "the")?
bool is_common_word(std::string_view typed);

// The FTS5 expression for an index that uses our tokenizer: any of the terms of the query. Empty when there is nothing
// to search for. Nothing in the query is ever read as syntax.
std::string fts5_any_word_query(std::string_view query);
// The same for some of the terms of a query.
std::string fts5_any_term_query(std::span<const std::string> terms);

}  // namespace loci
