// What of a query stands in double quotes. Pure; any thread may call it.
#pragma once

#include <string_view>
#include <vector>

namespace loci {

struct QuerySegment {
  std::string_view text;  // a view of the query, without the quotes
  bool is_quoted;
};

// The query cut at its double quotes, straight or curled. A quote without its partner is no quote.
std::vector<QuerySegment> query_segments(std::string_view query);

}  // namespace loci
