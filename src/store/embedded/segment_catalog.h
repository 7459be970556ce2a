// The published segments, as rows of the database: a segment counts exactly while it has a row here. Everything runs
// inside the caller's transaction.
//
// `covered_seq` is common to all segments of a collection: every vector that was written up to that change and is still
// there is in exactly one live slot of one of them. What changed later is found by its seq.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loci/result.h"
#include "store/embedded/sqlite.h"

namespace loci::embedded {

struct SegmentRow {
  std::int64_t id = 0;
  std::int64_t collection = 0;
  std::string file = {};        // its name in the palace's folder `index`
  std::int64_t generation = 0;  // the change that it was built at
  std::int64_t covered_seq = 0;
  std::size_t rows = 0;
  std::size_t dead = 0;  // slots whose row was changed or removed up to covered_seq

  std::size_t live() const { return rows > dead ? rows - dead : 0; }
};

Result<std::vector<SegmentRow>> list_segments(Connection& connection, std::int64_t collection);
Result<std::vector<SegmentRow>> list_all_segments(Connection& connection);

// The dead slots, ascending.
Result<std::vector<std::uint32_t>> dead_slots(Connection& connection, std::int64_t segment);
Status set_covered(Connection& connection, std::int64_t segment, std::int64_t covered_seq,
                   const std::vector<std::uint32_t>& dead);

// Returns its id.
Result<std::int64_t> insert_segment(Connection& connection, const SegmentRow& segment);
Status remove_segment(Connection& connection, std::int64_t segment);
// Their files are removed by whoever builds next.
Status drop_segments(Connection& connection, std::int64_t collection);

// What was written or removed after a change.
struct Changes {
  std::vector<std::int64_t> written;  // rows, ascending
  std::vector<std::int64_t> removed;
};
Result<Changes> changes_after(Connection& connection, std::int64_t collection, std::int64_t seq);

// The palace's counter of changes, and its identity.
Result<std::int64_t> current_seq(Connection& connection);
Result<std::string> palace_identity(Connection& connection);

}  // namespace loci::embedded
