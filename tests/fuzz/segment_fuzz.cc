// No bytes make the reader of segments crash. Checksums would keep nearly all inputs from the reader behind them, so
// the input may ask for them to be made right.
#include <cstdint>
#include <cstring>
#include <vector>

#include "vector/segment.h"
#include "vector/segment_search.h"

namespace {

// Makes the checksums fit, as far as the header says where they are.
void mend(std::vector<std::uint8_t>& bytes) {
  using namespace loci;
  if (bytes.size() < kSegmentHeaderBytes) return;
  const auto seal = [&] {
    const std::uint64_t sum = segment_checksum(std::span(bytes).first(kSegmentHeaderBytes - sizeof sum));
    std::memcpy(bytes.data() + kSegmentHeaderBytes - sizeof sum, &sum, sizeof sum);
  };
  seal();
  NotASegment why;
  std::optional<SegmentHeader> header = decode_header(bytes, why);
  if (!header) return;
  const SegmentLayout layout = *layout_of(header->rows, header->dimension, header->lists);
  for (std::size_t block = 0; block < checksum_count(layout); ++block) {
    const std::size_t begin = kSegmentHeaderBytes + block * kChecksumBlockBytes;
    const std::uint64_t sum =
        segment_checksum(std::span(bytes).subspan(begin, std::min(kChecksumBlockBytes, layout.checksums - begin)));
    std::memcpy(bytes.data() + layout.checksums + block * sizeof sum, &sum, sizeof sum);
  }
  header->checksum_of_checksums = segment_checksum(std::span(bytes).subspan(layout.checksums));
  const std::vector<std::uint8_t> sealed = encode_header(*header);
  std::memcpy(bytes.data(), sealed.data(), sealed.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::vector<std::uint8_t> bytes(data + 1, data + size);
  if (data[0] % 2 == 1) mend(bytes);
  const auto opened = loci::Segment::from_bytes(bytes);
  if (!opened.ok()) return 0;
  const loci::Segment& segment = **opened;
  const std::vector<float> query(segment.header().dimension, 0.5F);
  loci::SlotMask mask(segment.size(), loci::SlotMask::Start::all);
  for (const std::size_t up_to : {0U, 1'000'000U}) {
    static_cast<void>(loci::nearest_candidates(segment, {.query = query, .scan_bytes_up_to = up_to}));
    static_cast<void>(loci::nearest_candidates(
        segment, {.query = query, .mask = &mask, .is_filtered = true, .scan_bytes_up_to = up_to}));
  }
  static_cast<void>(segment.slot_of(segment.header().first_row));
  static_cast<void>(segment.slot_of(segment.header().last_row));
  static_cast<void>(segment.verify_all());
  return 0;
}
