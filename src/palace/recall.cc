#include "palace/recall.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace loci {
namespace {

Scope whole_scope(const RecallRequest& request) {
  Scope scope = request.scope;
  std::vector<Filter> parts;
  if (!scope.where.is_empty()) parts.push_back(scope.where);
  if (request.since_unix_ms)
    parts.push_back(condition(kFiledAtKey, FilterOperator::gte, to_iso8601(*request.since_unix_ms)));
  if (request.until_unix_ms)
    parts.push_back(condition(kFiledAtKey, FilterOperator::lt, to_iso8601(*request.until_unix_ms)));
  if (request.source) parts.push_back(condition(kSourceKey, FilterOperator::contains, *request.source));
  scope.where = parts.size() == 1 ? std::move(parts.front()) : Filter::all_of(std::move(parts));
  return scope;
}

}  // namespace

Result<DrawerList> recall_drawers(const Collection& drawers, const RecallRequest& request) {
  const Scope scope = whole_scope(request);
  DrawerList list;
  list.total = TRY(count_in_scope(drawers, scope));
  // Rows come in the order in which they were stored, so that the newest are at the end.
  const std::size_t end = list.total - std::min(list.total, request.offset);
  const std::size_t begin = end - std::min(end, request.limit);
  if (begin == end) return list;
  const GetRequest last = {.selection = {.where = to_filter(scope)}, .limit = end - begin, .offset = begin};
  list.drawers = TRY(drawers.get(last));
  std::reverse(list.drawers.begin(), list.drawers.end());
  return list;
}

}  // namespace loci
