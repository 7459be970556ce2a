// No bytes make the check of link_lists.bin crash, or go on for as long as a lying count says. The first byte is the
// number of neighbours, the next eight are how many slots there are said to be.
#include <cstdint>
#include <cstring>
#include <span>

#include "store/chroma/hnsw_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace loci::chroma;
  std::uint64_t count = 0;
  if (size < 1 + sizeof count) return 0;
  std::memcpy(&count, data + 1, sizeof count);
  const HnswGeometry geometry{.neighbours = std::size_t{1} + data[0], .dimension = 3};
  static_cast<void>(check_link_lists(std::span(data, size).subspan(1 + sizeof count), count, geometry));
  return 0;
}
