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
#include "vector/segment_format.h"

namespace loci {

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

  // Sorts the rows into so many lists. Leaves them as they are where lists would not spare work: for inner products,
  // and for data in which neighbours are everywhere.
  void partition(std::size_t lists);

  // Measures recall, and writes everything. At least one row was added.
  Status write_to(NewFile& file);
  const SegmentHeader& header() const { return header_; }

 private:
  std::vector<std::uint8_t> make_blocks() const;
  void calibrate_with(const Partition* partition);
  // Puts the rows in the order of their lists.
  void sort_into(const Partition& partition);
  bool spares_work(const Partition& partition) const;

  SegmentHeader header_;
  Encoder encoder_;
  CodeTable table_;
  std::vector<float> centroids_;
  std::vector<std::uint32_t> list_ends_;
  bool is_calibrated_ = false;
};

}  // namespace loci
