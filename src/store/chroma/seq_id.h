// Sequence numbers: the positions in Chroma's queue, and the frontiers up to which a segment has applied it.
//
// Releases up to 0.6 store them as blobs, big end first; 1.0 and later as integers. A store may hold both, row by row.
// Converting the blobs to integers before Chroma's own migration does so "poisons" them: the migration reads the
// decimal digits of the integer as if they were the blob, and fills up with the digit 1.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace loci::chroma {

// No queue grows to this: a frontier above is poisoned, or made up.
inline constexpr std::int64_t kLargestSeqId = std::int64_t{1} << 60;

// A blob of 8 bytes, or of 24 with nothing in the first 16. Nothing for any other.
std::optional<std::int64_t> decode_seq_id(std::span<const std::uint8_t> blob);
std::array<std::uint8_t, 8> encode_seq_id(std::int64_t seq);

// The number that a poisoned one was: 0x1111353032363037 was 502607. Nothing when it does not look like one.
std::optional<std::int64_t> unpoisoned(std::int64_t seq);

}  // namespace loci::chroma
