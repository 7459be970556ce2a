// No bytes make the reader of data_level0.bin and length.bin crash, whatever the shape of a slot. The first two bytes
// are the number of neighbours and the dimension.
#include <cstdint>
#include <vector>

#include "store/chroma/hnsw_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace loci::chroma;
  if (size < 2) return 0;
  const HnswGeometry geometry{.neighbours = std::size_t{1} + data[0], .dimension = std::size_t{1} + data[1]};
  const std::vector<std::uint8_t> bytes(data + 2, data + size);
  const HnswSlots slots(bytes, geometry);
  volatile float sum = 0;  // or nothing of it would have to be read
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    sum = sum + static_cast<float>(slots.label(slot)) + (slots.is_deleted(slot) ? 1.0F : 0.0F);
    for (const float value : slots.vector(slot)) sum = sum + value;
    sum = sum + vector_length(bytes, slot).value_or(0);
  }
  static_cast<void>(vector_length(bytes, bytes.size()));
  return 0;
}
