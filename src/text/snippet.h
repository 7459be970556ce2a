// What to show of a document that was found: the place that matters, and what in it matched.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace loci {

struct Highlight {
  std::size_t start;  // bytes of the document
  std::size_t end;

  bool operator==(const Highlight&) const = default;
};

// What matches one of the terms (see query_terms), by the rules of the word index: other forms of a word, identifiers
// by their parts. In order, without overlaps; both ends are character boundaries.
std::vector<Highlight> highlights(std::string_view document, const std::vector<std::string>& terms);

// At most `max_bytes` of the document around the place with most of the terms, from its beginning
// when there is none. Whitespace and control characters become single spaces; "…" stands where text was left out.
std::string snippet(std::string_view document, const std::vector<std::string>& terms, std::size_t max_bytes);

}  // namespace loci
