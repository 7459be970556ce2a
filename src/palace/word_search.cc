#include "palace/word_search.h"

#include <utility>

namespace loci {

Result<SearchAnswer> search_words(const Collection& drawers, const SearchRequest& request) {
  SearchAnswer answer;
  const MatchRequest match = {.text = request.query, .n_results = request.limit, .where = to_filter(request.scope)};
  for (WordHit& found : TRY(drawers.match(match))) {
    SearchHit hit = {.record = std::move(found.record), .score = found.score, .highlights = {}};
    hit.highlights = highlights(hit.record.document, request.query);
    answer.hits.push_back(std::move(hit));
  }
  answer.drawers_in_scope = TRY(count_in_scope(drawers, request.scope));
  answer.pending = TRY(drawers.info()).pending;
  return answer;
}

}  // namespace loci
