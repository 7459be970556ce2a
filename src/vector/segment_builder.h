// Making a segment from rows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/file_layer.h"
#include "loci/result.h"
#include "vector/code_table.h"
#include "vector/codes.h"
#include "vector/partition.h"
#include "vector/segment.h"
#include "vector/segment_format.h"

namespace loci {

// Inner products have no lists: the largest of them are not where the query points. Rows without a code would be in
// any.
inline bool can_have_lists(const SegmentHeader& header) {
  return header.metric != DistanceMetric::ip && header.uncoded == 0 && header.lists == 0 &&
         header.calibration.probe_ratio == 0;
}

// For one thread. Holds one byte per coordinate and row, not the vectors.
class SegmentBuilder {
 public:
  // Of `identity` the palace, collection, generation, metric, dimension and model are used. `center` is about the mean
  // of the (for cosine: normalized) vectors; any vector will do, a good one makes better codes.
  SegmentBuilder(SegmentHeader identity, std::span<const float> center, std::uint64_t seed);

  void reserve(std::size_t rows);
  // Row numbers ascend.
  void add(std::int64_t row, std::span<const float> vector);
  std::size_t size() const { return table_.size(); }

  // A builder of the same segment over again, to be sorted into lists. It reads the codes where they are: the segment
  // must be flat and outlive the builder. Errors: corruption.
  static Result<SegmentBuilder> again(const Segment& segment);

  // Sorts the rows into so many lists. Leaves them as they are, and notes that, where lists would not spare work: for
  // inner products, and for data in which neighbours are everywhere.
  void partition(std::size_t lists);

  // Measures recall, and writes everything. At least one row was added.
  Status write_to(NewFile& file);
  const SegmentHeader& header() const { return header_; }

 private:
  std::vector<std::uint8_t> make_blocks() const;
  void calibrate_with(const Partition* partition);
  // Puts the rows in the order of their lists; the codes stay where they are.
  void sort_into(const Partition& partition);
  // The codes of rows that will lie one after the other; `room` holds them where they do not yet.
  const std::int8_t* codes_in_order(std::size_t first, std::size_t rows, std::vector<std::int8_t>& room) const;
  bool spares_work(const Partition& partition) const;

  SegmentHeader header_;
  Encoder encoder_;
  CodeTable table_;
  std::vector<float> centroids_;
  std::vector<std::uint32_t> list_ends_;
  std::vector<std::uint32_t> sorted_from_;  // with lists: where in table_.codes the codes of a slot are
  bool is_calibrated_ = false;
};

}  // namespace loci
