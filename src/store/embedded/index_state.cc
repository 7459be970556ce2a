#include "store/embedded/index_state.h"

#include <algorithm>

#include "vector/segment_builder.h"

namespace loci::embedded {

Result<IndexState> index_state(Connection& connection, IndexContext& index, const CollectionRow& collection,
                               IndexCheck check) {
  IndexState state;
  const std::string palace = TRY(palace_identity(connection));
  std::int64_t covered = -1;
  for (const SegmentRow& row : TRY(list_segments(connection, collection.id))) {
    covered = row.covered_seq;
    ++state.segments;
    state.rows += row.live();
    state.dead += row.dead;
    const Result<LiveSegment> live = index.segments.open_one(connection, collection, row, palace);
    if (!live.ok()) {
      state.problems.push_back(live.error().message);
      continue;
    }
    const Segment& segment = *live->segment;
    state.size_bytes += segment.size_bytes();
    state.lists += segment.header().lists;
    if (segment.size() >= index.options.partition_rows && can_have_lists(segment.header())) state.is_due = true;
    state.recall = std::min(state.recall, double{segment.header().calibration.recall});
    if (check == IndexCheck::every_byte && !segment.verify_all())
      state.problems.push_back((index.segments.folder() / row.file).string() + " is damaged");
  }
  Statement count = TRY(connection.prepare(
      covered < 0 ? "SELECT count(*) FROM records WHERE collection = ?1 AND embedded = 1 AND seq > ?2"
                  : "SELECT count(*) FROM records WHERE +collection = ?1 AND embedded = 1 AND seq > ?2"));
  TRY(count.bind(1, collection.id).bind(2, covered).step());
  state.tail = static_cast<std::size_t>(count.integer(0));
  const bool can_have_segments = collection.dimension >= 2 && collection.dimension <= kLargestDimension;
  const std::size_t enough = covered < 0 ? index.options.first_rows : index.options.tail_rows;
  if (can_have_segments && (!state.problems.empty() || state.tail >= enough)) state.is_due = true;
  return state;
}

Result<IndexState> index_state(Connection& connection, IndexContext& index) {
  IndexState all;
  for (const CollectionRow& collection : TRY(list_collections(connection))) {
    IndexState state = TRY(index_state(connection, index, collection, IndexCheck::headers));
    all.segments += state.segments;
    all.rows += state.rows;
    all.dead += state.dead;
    all.tail += state.tail;
    all.lists += state.lists;
    all.size_bytes += state.size_bytes;
    all.recall = std::min(all.recall, state.recall);
    all.is_due = all.is_due || state.is_due;
    std::move(state.problems.begin(), state.problems.end(), std::back_inserter(all.problems));
  }
  return all;
}

}  // namespace loci::embedded
