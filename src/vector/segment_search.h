// Searching one segment: by bits, then by bytes. What comes out is to be ranked by the vectors themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "loci/result.h"
#include "vector/segment.h"

namespace loci {

// Which slots of a segment a search is about. For one thread.
class SlotMask {
 public:
  enum class Start { none, all };
  SlotMask(std::size_t slots, Start start);

  void include(std::uint32_t slot);
  void exclude(std::uint32_t slot);
  void keep_only(const SlotMask& other);  // what both have
  bool has(std::uint32_t slot) const { return (words_[slot / kBlockRows] >> slot % kBlockRows & 1) != 0; }
  std::uint64_t word(std::size_t block) const { return words_[block]; }  // bit 0: the first row of the block
  std::size_t count() const { return count_; }
  std::size_t blocks() const { return words_.size(); }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t count_;
};

// Rows of a segment, copied to one place: a search of them alone touches nothing else.
struct GatheredRows {
  std::vector<std::uint32_t> slots = {};
  std::vector<RowFactors> factors = {};
  std::vector<std::int8_t> codes = {};  // dimension of each row, one after the other
};
// Errors: corruption.
Result<GatheredRows> gather_rows(const Segment& segment, const SlotMask& mask);

// Is so small a part of the rows wanted that each is looked at by itself?
bool is_selective(std::size_t wanted, std::size_t rows);

struct SegmentRequest {
  std::span<const float> query = {};
  std::size_t results = 10;
  const SlotMask* mask = nullptr;      // null: all slots
  const GatheredRows* only = nullptr;  // null: all rows; else these, as far as the mask has them
  bool is_filtered = false;            // the mask leaves out more than what was removed: neighbours may be in any list
  std::size_t scan_bytes_up_to = 50'000;  // rows: fewer are scanned by bytes, without the bits before
};

struct SegmentCandidate {
  std::int64_t row = 0;
  float distance = 0;  // by bytes
  float error = 0;     // the exact one is as good as never farther off than this
  float least() const { return distance - error; }
};

// Every row of the short list that may be among the nearest, in no particular order. Errors: corruption (the segment is
// damaged or was cut off), unsupported (the query has no code: its values are too large).
Result<std::vector<SegmentCandidate>> nearest_candidates(const Segment& segment, const SegmentRequest& request);

}  // namespace loci
