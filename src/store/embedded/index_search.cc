#include "store/embedded/index_search.h"

#include <algorithm>

#include "store/embedded/row_scope.h"
#include "store/embedded/row_search.h"

namespace loci::embedded {
namespace {

// A segment and the slots of it that the query is about.
struct SearchedSegment {
  std::shared_ptr<const Segment> segment;
  std::shared_ptr<const SlotMask> mask;      // null: all slots
  std::shared_ptr<const GatheredRows> only;  // null: all rows
  bool is_filtered = false;
};

// The mask without these rows; it is copied only if there is something to leave out.
class Exclusion {
 public:
  explicit Exclusion(SearchedSegment& searched) : searched_(searched) {}

  void leave_out(const std::vector<std::int64_t>& rows) {
    for (const std::int64_t row : rows) {
      if (const std::optional<std::uint32_t> slot = searched_.segment->slot_of(row)) own().exclude(*slot);
    }
  }
  void keep_only(const SlotMask& mask) { own().keep_only(mask); }

 private:
  SlotMask& own() {
    if (own_ == nullptr) {
      own_ = searched_.mask != nullptr ? std::make_shared<SlotMask>(*searched_.mask)
                                       : std::make_shared<SlotMask>(searched_.segment->size(), SlotMask::Start::all);
      searched_.mask = own_;
    }
    return *own_;
  }

  SearchedSegment& searched_;
  std::shared_ptr<SlotMask> own_;
};

SearchedSegment searched_part(const LiveSegment& live, const Changes& changes, FilteredRows* filtered) {
  SearchedSegment searched{
      .segment = live.segment, .mask = live.live, .only = nullptr, .is_filtered = filtered != nullptr};
  Exclusion exclusion(searched);
  if (filtered != nullptr) {
    FilteredPart part = filtered->part(live);
    searched.only = part.rows;
    if (searched.only == nullptr) {
      searched.mask = part.mask;
      if (live.live != nullptr) exclusion.keep_only(*live.live);
    }
  }
  exclusion.leave_out(changes.written);
  exclusion.leave_out(changes.removed);
  return searched;
}

// The rows that may be among the nearest, each once, those that may be nearest first. Nothing: a segment cannot say.
std::optional<std::vector<SegmentCandidate>> gather(const std::vector<SearchedSegment>& segments,
                                                    const Embedding& query, std::size_t n_results,
                                                    const IndexOptions& options) {
  std::vector<SegmentCandidate> all;
  for (const SearchedSegment& searched : segments) {
    const Result<std::vector<SegmentCandidate>> found =
        nearest_candidates(*searched.segment, {.query = query,
                                               .results = n_results,
                                               .mask = searched.mask.get(),
                                               .only = searched.only.get(),
                                               .is_filtered = searched.is_filtered,
                                               .scan_bytes_up_to = options.scan_bytes_up_to});
    if (!found.ok()) return {};
    all.insert(all.end(), found->begin(), found->end());
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.row < b.row; });
  all.erase(std::unique(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.row == b.row; }),
            all.end());
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.least() < b.least(); });
  return all;
}

void offer_tail(const std::vector<std::shared_ptr<const TailRow>>& rows, const FilteredRows* filtered,
                std::span<const DistanceTo> distances, std::vector<NearestRows>& nearest) {
  for (const std::shared_ptr<const TailRow>& row : rows) {
    if (filtered != nullptr && !filtered->has(row->row)) continue;
    for (std::size_t i = 0; i < distances.size(); ++i) nearest[i].offer(distances[i](row->vector), row->id, row->row);
  }
}

// Measures candidates until the rest cannot be nearer.
Status rank(Connection& connection, std::int64_t collection, const std::vector<SegmentCandidate>& candidates,
            const Embedding& query, const DistanceTo& distance, NearestRows& nearest) {
  Statement select =
      TRY(connection.prepare("SELECT r.id, v.embedding, v.checksum FROM vectors v JOIN records r ON r.row = v.row "
                             "WHERE v.row = ?1 AND r.collection = ?2"));
  for (const SegmentCandidate& candidate : candidates) {
    if (nearest.is_full() && candidate.least() > nearest.farthest()) break;
    if (TRY(select.bind(1, candidate.row).bind(2, collection).step())) {
      const float exact = TRY(measure_stored(distance, query.size(), candidate.row, select.text(0), select, 1, 2));
      nearest.offer(exact, select.text(0), candidate.row);
    }
    select.reset();
  }
  return {};
}

}  // namespace

Result<std::optional<RankedLists>> nearest_by_index(Connection& connection, IndexContext& index,
                                                    const CollectionRow& collection, const QueryRequest& request,
                                                    std::span<const Embedding> queries) {
  constexpr std::optional<RankedLists> kCannotSay;
  const Result<std::vector<LiveSegment>> opened = index.segments.open(connection, collection);
  if (!opened.ok() && opened.error().kind == ErrorKind::corruption) return kCannotSay;
  if (!opened.ok()) return opened.error();
  if (opened->empty()) return kCannotSay;

  const std::shared_ptr<const Tail> tail =
      TRY(index.tails.tail(connection, collection.id, *collection.dimension, opened->front().row.covered_seq));
  std::shared_ptr<FilteredRows> filtered;
  if (!request.where.is_empty() || !request.where_document.is_empty())
    filtered = TRY(index.filters.rows(connection, collection.id, request.where, request.where_document));
  std::vector<SearchedSegment> segments;
  for (const LiveSegment& live : *opened) segments.push_back(searched_part(live, tail->changes, filtered.get()));

  std::vector<DistanceTo> distances;
  for (const Embedding& query : queries) distances.emplace_back(collection.metric, query);
  std::vector<NearestRows> nearest(queries.size(), NearestRows(request.n_results));
  if (tail->rows) {
    offer_tail(*tail->rows, filtered.get(), distances, nearest);
  } else {
    const RowScope scope(collection.id, request.where, request.where_document, &tail->changes.written);
    TRY(offer_rows(connection, scope, queries, distances, nearest));
  }
  RankedLists ranked;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto candidates = gather(segments, queries[i], request.n_results, index.options);
    if (!candidates) {
      index.segments.condemn_damaged(*opened);
      return kCannotSay;
    }
    TRY(rank(connection, collection.id, *candidates, queries[i], distances[i], nearest[i]));
    ranked.push_back(std::move(nearest[i]).sorted());
  }
  return std::optional(std::move(ranked));
}

}  // namespace loci::embedded
