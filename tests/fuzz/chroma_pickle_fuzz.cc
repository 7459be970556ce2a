// No bytes make the reader of index_metadata.pickle crash, or give out more than there is in them.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "store/chroma/index_metadata.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const loci::chroma::IndexMetadata metadata = loci::chroma::parse_index_metadata(std::span(data, size));
  for (const auto& [id, label] : metadata.labels) {
    if (id.size() > size || label == 0) std::abort();
  }
  return 0;
}
