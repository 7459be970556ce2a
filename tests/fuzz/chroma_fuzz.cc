// No bytes make the readers of Chroma's files crash: header, slots, lengths, link lists, labels, queue. The first byte
// says which of them reads the rest.
#include <cstdint>
#include <string_view>
#include <vector>

#include "store/chroma/hnsw_files.h"
#include "store/chroma/index_metadata.h"
#include "store/chroma/json_text.h"
#include "store/chroma/queue.h"
#include "store/chroma/seq_id.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace loci::chroma;
  if (size == 0) return 0;
  const std::vector<std::uint8_t> bytes(data + 1, data + size);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const HnswGeometry geometry{.neighbours = 2, .dimension = 3};
  switch (data[0] % 6) {
    case 0: static_cast<void>(parse_hnsw_header(bytes)); break;
    case 1: {
      const HnswSlots slots(bytes, geometry);
      for (std::size_t slot = 0; slot < slots.size(); ++slot) {
        static_cast<void>(slots.label(slot) + (slots.is_deleted(slot) ? 1 : 0));
        static_cast<void>(slots.vector(slot).back());
        static_cast<void>(vector_length(bytes, slot));
      }
      break;
    }
    case 2: static_cast<void>(check_link_lists(bytes, bytes.size() / 4, geometry)); break;
    case 3: static_cast<void>(parse_index_metadata(bytes)); break;
    case 4:
      static_cast<void>(decode_queue_vector(bytes, {}));
      if (const auto seq = decode_seq_id(bytes)) static_cast<void>(unpoisoned(*seq));
      break;
    default:
      if (const auto changes = parse_metadata_changes(text)) static_cast<void>(to_json(*changes));
      static_cast<void>(resolve_space({.schema = std::string(text), .configuration = std::string(text)}));
      break;
  }
  return 0;
}
