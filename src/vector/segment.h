// A segment: one immutable piece of the vector index, mapped from its file and shared by all who read it.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/guarded_file.h"
#include "loci/result.h"
#include "vector/codes.h"
#include "vector/segment_blocks.h"
#include "vector/segment_format.h"

namespace loci {

// Many threads may use it at once. No bytes make it crash: whatever a file says is checked before it is used, and the
// rest of the file only when it is needed, by the checksum of the block that it lies in, once per process.
class Segment {
 public:
  // Errors: not_found; corruption, with the reason, for a file that is not a whole segment; io.
  static Result<std::shared_ptr<const Segment>> open(const std::filesystem::path& path);
  // The bytes must outlive it, and begin where a float may.
  static Result<std::shared_ptr<const Segment>> from_bytes(std::span<const std::uint8_t> bytes);

  const SegmentHeader& header() const { return header_; }
  std::size_t size() const { return header_.rows; }
  std::size_t size_bytes() const { return bytes_.size(); }
  const Encoder& encoder() const { return *encoder_; }

  // The parts; empty or nothing when their checksum does not fit.
  std::optional<BitBlock> block(std::size_t block) const;
  const std::int8_t* codes(std::uint32_t slot, std::size_t slots = 1) const;
  const float* scales(std::uint32_t slot, std::size_t slots = 1) const;
  std::optional<RowFactors> factors(std::uint32_t slot) const;
  // Asks the processor to fetch what measuring the slot will read; for those who know which slots come next.
  void prefetch(std::uint32_t slot) const;
  const float* centroids() const;
  std::span<const std::uint32_t> list_ends() const;
  std::optional<std::int64_t> row_at(std::uint32_t slot) const;
  // Nothing: the row is not in the segment, or the map is damaged.
  std::optional<std::uint32_t> slot_of(std::int64_t row) const;

  // Was everything that was read from it until now as it was written? Asked after reading.
  bool is_intact() const { return !is_damaged_.load(std::memory_order_relaxed) && (!file_ || file_->is_whole()); }
  // Reads all of it.
  bool verify_all() const;

 private:
  Segment(SegmentHeader header, const SegmentLayout& layout, std::span<const std::uint8_t> bytes);
  static Result<std::shared_ptr<Segment>> make(std::span<const std::uint8_t> bytes);
  bool is_good(std::size_t offset, std::size_t size) const;
  bool check_block(std::size_t block) const;
  template <typename Value>
  const Value* at(std::size_t part, std::size_t index, std::size_t count) const {
    const std::size_t offset = part + index * sizeof(Value);
    return is_good(offset, count * sizeof(Value)) ? reinterpret_cast<const Value*>(bytes_.data() + offset) : nullptr;
  }

  const SegmentHeader header_;
  const SegmentLayout layout_;
  const std::span<const std::uint8_t> bytes_;
  std::unique_ptr<GuardedFile> file_;                          // constant after open()
  std::unique_ptr<Encoder> encoder_;                           // constant after open()
  mutable std::vector<std::atomic<std::uint8_t>> is_checked_;  // by checksum block
  mutable std::atomic<bool> is_damaged_ = false;
};

}  // namespace loci
