// No bytes make the reader of an index's header.bin crash, and what it believes holds together.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "store/chroma/hnsw_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace loci::chroma;
  const auto header = parse_hnsw_header(std::span(data, size));
  if (!header.ok()) return 0;
  const HnswGeometry& geometry = header->geometry;
  const bool is_sound = geometry.dimension > 0 && geometry.dimension <= kLargestDimension && geometry.neighbours > 0 &&
                        geometry.neighbours <= kLargestNeighbours && geometry.slot_bytes() > 4 * geometry.dimension;
  if (!is_sound) std::abort();
  return 0;
}
