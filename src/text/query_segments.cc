#include "text/query_segments.h"

#include <array>
#include <cstddef>

namespace loci {

std::vector<QuerySegment> query_segments(std::string_view query) {
  struct Quote {
    std::string_view open;
    std::string_view close;
    bool has_more = true;  // false once no closing one is left, so that a long row of opening ones costs one search
  };
  std::array<Quote, 2> quotes = {Quote{"\"", "\""}, Quote{"\xE2\x80\x9C", "\xE2\x80\x9D"}};
  std::vector<QuerySegment> found;
  std::size_t plain_start = 0;
  for (std::size_t at = 0; at < query.size();) {
    std::size_t next = at + 1;
    for (Quote& quote : quotes) {
      if (!quote.has_more || !query.substr(at).starts_with(quote.open)) continue;
      const std::size_t start = at + quote.open.size();
      const std::size_t end = query.find(quote.close, start);
      quote.has_more = end != std::string_view::npos;
      if (!quote.has_more) continue;
      found.push_back({query.substr(plain_start, at - plain_start), false});
      found.push_back({query.substr(start, end - start), true});
      next = plain_start = end + quote.close.size();
      break;
    }
    at = next;
  }
  found.push_back({query.substr(plain_start), false});
  return found;
}

}  // namespace loci
