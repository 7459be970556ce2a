// How long the short list of the one-bit scan must be, and how many lists of a partition must be read, so that a query
// finds what an exact one finds: asked of the data itself, by sampling rows and looking for their neighbours.
#pragma once

#include <cstdint>
#include <span>

#include "vector/code_table.h"
#include "vector/partition.h"
#include "vector/segment_format.h"

namespace loci {

// `blocks` are the blocks of the table's rows in their order, as SegmentLayout describes them. Without a partition
// (null) the probe ratio is 0.
Calibration calibrate(const CodeTable& table, std::span<const std::uint8_t> blocks, const Partition* partition,
                      std::uint64_t seed);

}  // namespace loci
