// The files of Chroma's vector index (hnswlib, persistence version 1), read without trusting a number in them:
//
//   header.bin         100 bytes: counts and geometry
//   data_level0.bin    one slot after the other: links, vector, label
//   length.bin         the original length of each vector; only of cosine collections
//   link_lists.bin     the upper levels of the graph, which nobody needs who brings out vectors
//
// Pure functions on bytes; whatever the bytes are, nothing outside of them is touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "loci/record.h"
#include "loci/result.h"

namespace loci::chroma {

inline constexpr std::size_t kHnswHeaderBytes = 100;
inline constexpr std::size_t kLargestDimension = 1 << 20;
inline constexpr std::size_t kLargestNeighbours = 1 << 16;

// Where the parts of a slot are. Follows from the number of neighbours and the dimension alone.
struct HnswGeometry {
  std::size_t neighbours = 16;  // of the upper levels; level 0 has twice as many
  std::size_t dimension = 0;

  std::size_t data_offset() const { return 4 + 8 * neighbours; }
  std::size_t label_offset() const { return data_offset() + 4 * dimension; }
  std::size_t slot_bytes() const { return label_offset() + 8; }
  std::size_t level_bytes() const { return 4 + 4 * neighbours; }

  friend bool operator==(const HnswGeometry&, const HnswGeometry&) = default;
};

struct HnswHeader {
  HnswGeometry geometry;
  std::uint64_t count = 0;  // slots in use, those of deleted records included; not to be believed
};

// Errors: corruption, saying what does not fit: the length, the version, or numbers that contradict each other.
Result<HnswHeader> parse_hnsw_header(std::span<const std::uint8_t> bytes);

// A slot of data_level0.bin. The bytes must outlive it, and begin where a float may.
class HnswSlots {
 public:
  HnswSlots(std::span<const std::uint8_t> bytes, const HnswGeometry& geometry) : bytes_(bytes), geometry_(geometry) {}

  // Whole slots in the file, whatever the header says.
  std::size_t size() const { return bytes_.size() / geometry_.slot_bytes(); }
  // `slot` is below size().
  std::uint64_t label(std::size_t slot) const;
  bool is_deleted(std::size_t slot) const { return (bytes_[slot * geometry_.slot_bytes() + 2] & 1) != 0; }
  std::span<const float> vector(std::size_t slot) const;

 private:
  std::span<const std::uint8_t> bytes_;
  HnswGeometry geometry_;
};

// The original length of the vector in a slot, from the bytes of length.bin. Nothing when it is not there, or no
// length.
std::optional<float> vector_length(std::span<const std::uint8_t> bytes, std::size_t slot);

// Does link_lists.bin hold a list for each of `count` slots, and nothing else? Says what is wrong; empty when nothing
// is. Reads no further than the first mistake.
std::string check_link_lists(std::span<const std::uint8_t> bytes, std::uint64_t count, const HnswGeometry& geometry);

}  // namespace loci::chroma
