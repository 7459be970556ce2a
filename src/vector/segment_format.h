// The bytes of a segment file; docs/FORMAT.md describes them. All numbers are little end first.
//
// Where each part lies follows from the counts in the header alone, so there is no offset that damage could turn
// elsewhere; a file of another length than they say is not a segment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "loci/collection.h"
#include "vector/kernels.h"

namespace loci {

inline constexpr std::size_t kSegmentHeaderBytes = 4096;
inline constexpr std::size_t kChecksumBlockBytes = 16384;
inline constexpr std::size_t kLongestModel = 1024;  // longer names are cut

// What a sample of real rows said about this segment when it was built.
struct Calibration {
  std::uint32_t samples = 0;
  std::uint32_t short_list = 0;  // rows that the one-bit scan hands on for ten results
  float recall = 1;              // at 10, of the one-bit scan with that list, and of the lists probed
  float probe_ratio = 0;         // lists are probed whose squared distance is at most this times that of the nearest
  float nearest = 0;             // half the square of how far the next row is, of nearly all rows; 0: not known
};
// The probe ratio of a segment that was not sorted into lists because that would not make searches faster; 0 where it
// was not tried.
inline constexpr float kListsSpareNothing = -1;

struct SegmentHeader {
  std::string palace = {};  // its identity: 32 hexadecimal digits
  std::int64_t collection = 0;
  std::int64_t generation = 0;  // the counter of changes that it was built at
  DistanceMetric metric = DistanceMetric::cosine;
  std::uint32_t dimension = 0;
  std::string model = {};
  std::uint64_t rows = 0;
  std::int64_t first_row = 0;
  std::int64_t last_row = 0;
  std::uint32_t lists = 0;    // of the coarse partition; 0: there is none
  std::uint32_t uncoded = 0;  // rows that have no code and are always candidates
  std::uint64_t seed = 0;     // of the rotation
  Calibration calibration = {};
  std::uint64_t checksum_of_checksums = 0;
};

// Where the parts lie. Parts that are absent have no bytes.
struct SegmentLayout {
  std::size_t center = 0;       // dimension floats
  std::size_t centroids = 0;    // lists * dimension floats, rotated
  std::size_t list_ends = 0;    // lists * uint32: the slot after the last of each list
  std::size_t row_numbers = 0;  // rows * int64, by slot
  std::size_t order = 0;        // rows * uint32 with a partition: the slots in the order of their row numbers
  std::size_t blocks = 0;       // of kBlockRows rows each: bits, offsets, slopes
  std::size_t block_bytes = 0;
  std::size_t block_count = 0;
  std::size_t scales = 0;     // rows floats
  std::size_t codes = 0;      // rows * dimension int8
  std::size_t checksums = 0;  // uint64 for every kChecksumBlockBytes between the header and here
  std::size_t end = 0;
};
// Nothing for counts that no segment has.
std::optional<SegmentLayout> layout_of(std::uint64_t rows, std::uint32_t dimension, std::uint32_t lists);
inline std::size_t checksum_count(const SegmentLayout& layout) {
  return (layout.checksums - kSegmentHeaderBytes + kChecksumBlockBytes - 1) / kChecksumBlockBytes;
}

std::uint64_t segment_checksum(std::span<const std::uint8_t> bytes);

// kSegmentHeaderBytes bytes, with a checksum.
std::vector<std::uint8_t> encode_header(const SegmentHeader& header);

// Why bytes are not a header that can be used; `text` is a clause such as "the header is damaged".
struct NotASegment {
  std::string text;
};
// Never fails on any bytes.
std::optional<SegmentHeader> decode_header(std::span<const std::uint8_t> bytes, NotASegment& why);

}  // namespace loci
