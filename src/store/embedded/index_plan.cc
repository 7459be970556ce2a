#include "store/embedded/index_plan.h"

#include <algorithm>
#include <iterator>

#include "vector/segment_builder.h"

namespace loci::embedded {
namespace {

constexpr std::size_t kMostlyDead = 4;  // one in so many
// Changes, of any collection, that a query may have to pass over to find those that are not covered.
constexpr std::int64_t kMostUncovered = 20'000;

Result<std::vector<std::int64_t>> rows_with_vectors(Connection& connection, std::int64_t collection,
                                                    std::int64_t after_seq) {
  // All of them in the order of the table, a few by their seq.
  Statement select = TRY(connection.prepare(
      after_seq < 0 ? "SELECT row FROM records NOT INDEXED WHERE collection = ?1 AND embedded = 1 AND seq > ?2"
                    : "SELECT row FROM records WHERE +collection = ?1 AND embedded = 1 AND seq > ?2"));
  select.bind(1, collection).bind(2, after_seq);
  std::vector<std::int64_t> rows;
  while (TRY(select.step())) rows.push_back(select.integer(0));
  std::sort(rows.begin(), rows.end());
  return rows;
}

Status add_live_rows(const LiveSegment& live, const Changes& changes, std::vector<std::int64_t>& rows) {
  const auto is_in = [](const std::vector<std::int64_t>& sorted, std::int64_t row) {
    return std::binary_search(sorted.begin(), sorted.end(), row);
  };
  for (std::uint32_t slot = 0; slot < live.segment->size(); ++slot) {
    if (live.live != nullptr && !live.live->has(slot)) continue;
    const std::optional<std::int64_t> row = live.segment->row_at(slot);
    if (!row) return Error{ErrorKind::corruption, "the segment " + live.row.file + " is damaged"};
    if (!is_in(changes.written, *row) && !is_in(changes.removed, *row)) rows.push_back(*row);
  }
  return {};
}

// Everything from the rows, as if there were no index.
Result<IndexPlan> plan_anew(Connection& connection, IndexPlan plan, std::vector<SegmentRow> segments,
                            std::size_t first_rows) {
  plan.rows = TRY(rows_with_vectors(connection, plan.collection.id, -1));
  if (plan.rows.size() < first_rows) plan.rows.clear();
  plan.replaced = std::move(segments);
  return plan;
}

}  // namespace

std::vector<SegmentRow> segments_to_merge(std::vector<SegmentRow> segments, std::size_t tail) {
  std::sort(segments.begin(), segments.end(),
            [](const SegmentRow& a, const SegmentRow& b) { return a.live() < b.live(); });
  std::vector<SegmentRow> merged;
  std::size_t rows = tail;
  for (const SegmentRow& segment : segments) {
    if (segment.live() > 2 * rows && segment.dead * kMostlyDead < segment.rows) continue;
    merged.push_back(segment);
    rows += segment.live();
  }
  return merged;
}

Result<IndexPlan> plan_index(Connection& connection, IndexContext& index, const CollectionRow& collection,
                             Rebuild rebuild) {
  IndexPlan plan{.palace = TRY(palace_identity(connection)),
                 .collection = collection,
                 .seq = 0,
                 .rows = {},
                 .replaced = {},
                 .kept = {}};
  plan.seq = TRY(current_seq(connection));
  std::vector<SegmentRow> rows = TRY(list_segments(connection, collection.id));
  const std::size_t first_rows = std::max<std::size_t>(1, index.options.first_rows);
  if (!collection.dimension || *collection.dimension < 2 || *collection.dimension > kLargestDimension) {
    plan.replaced = std::move(rows);
    return plan;
  }
  if (rebuild == Rebuild::everything || rows.empty()) return plan_anew(connection, plan, rows, first_rows);
  const Result<std::vector<LiveSegment>> opened = index.segments.open(connection, collection);
  if (!opened.ok()) {
    const bool is_lost = opened.error().kind == ErrorKind::corruption || opened.error().kind == ErrorKind::not_found;
    return is_lost ? plan_anew(connection, plan, rows, first_rows) : opened.error();
  }
  const std::int64_t covered = rows.front().covered_seq;
  std::vector<std::int64_t> tail = TRY(rows_with_vectors(connection, collection.id, covered));
  const bool is_far = plan.seq - covered >= kMostUncovered;
  const bool is_due = tail.size() >= std::max<std::size_t>(1, index.options.tail_rows) || (is_far && !tail.empty());
  if (!is_due) {
    plan.kept = std::move(rows);
    plan.only_covers = tail.empty() && plan.seq - covered >= static_cast<std::int64_t>(index.options.tail_rows);
    return plan;
  }
  // Reading all of it takes a fraction of a second at a million rows, and finds damage that no search has met yet.
  const bool is_whole =
      std::all_of(opened->begin(), opened->end(), [](const LiveSegment& live) { return live.segment->verify_all(); });
  if (!is_whole) return plan_anew(connection, plan, rows, first_rows);
  const Changes changes = TRY(changes_after(connection, collection.id, covered));
  plan.replaced = segments_to_merge(rows, tail.size());
  for (const LiveSegment& live : *opened) {
    const bool is_replaced = std::any_of(plan.replaced.begin(), plan.replaced.end(),
                                         [&](const SegmentRow& row) { return row.id == live.row.id; });
    if (is_replaced) {
      const Status added = add_live_rows(live, changes, tail);
      if (!added.ok() || !live.segment->is_intact()) return plan_anew(connection, plan, rows, first_rows);
    } else {
      plan.kept.push_back(live.row);
    }
  }
  std::sort(tail.begin(), tail.end());
  tail.erase(std::unique(tail.begin(), tail.end()), tail.end());
  plan.rows = std::move(tail);
  return plan;
}

Result<std::optional<FlatSegment>> find_flat_segment(Connection& connection, IndexContext& index,
                                                     const CollectionRow& collection) {
  const Result<std::vector<LiveSegment>> opened = index.segments.open(connection, collection);
  if (!opened.ok()) return std::optional<FlatSegment>();  // plan_index() makes anew what cannot be used
  for (const LiveSegment& live : *opened) {
    if (live.segment->size() >= index.options.partition_rows && can_have_lists(live.segment->header()))
      return std::optional(FlatSegment{.palace = TRY(palace_identity(connection)), .live = live});
  }
  return std::optional<FlatSegment>();
}

}  // namespace loci::embedded
