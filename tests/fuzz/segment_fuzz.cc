// No bytes make the reader of segments crash. Hardly any bytes are a segment, so the input is either all of the file or
// a list of changes to a sound one; and checksums would keep nearly all of them from the reader behind, so the input
// may ask for them to be made right. The first byte says which.
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "vector/memory_file.h"
#include "vector/segment.h"
#include "vector/segment_builder.h"
#include "vector/segment_search.h"
#include "vector/test_vectors.h"

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

// A small one, sorted into lists or not.
std::vector<std::uint8_t> sound_segment(std::size_t lists) {
  constexpr std::uint32_t kDimension = 8;
  constexpr std::int64_t kRows = 150;
  loci::ClusteredVectors vectors(kDimension, 4, 0.1F, 1);
  loci::SegmentBuilder builder({.dimension = kDimension}, std::vector<float>(kDimension), 7);
  for (std::int64_t row = 0; row < kRows; ++row) builder.add(row, vectors.next());
  if (lists > 0) builder.partition(lists);
  loci::MemoryFile file;
  static_cast<void>(builder.write_to(file));
  return file.bytes();
}

// Each change is three bytes of where and one of what.
std::vector<std::uint8_t> changed_segment(std::span<const std::uint8_t> changes, bool has_lists) {
  static const std::array<std::vector<std::uint8_t>, 2> kSound = {sound_segment(0), sound_segment(4)};
  std::vector<std::uint8_t> bytes = kSound[has_lists ? 1 : 0];
  for (; changes.size() >= 4; changes = changes.subspan(4)) {
    const std::size_t where = changes[0] | std::size_t{changes[1]} << 8 | std::size_t{changes[2]} << 16;
    bytes[where % bytes.size()] = changes[3];
  }
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const bool is_mended = (data[0] & 1) != 0;
  const bool is_changes = (data[0] & 2) != 0;
  const std::span<const std::uint8_t> input(data + 1, size - 1);
  std::vector<std::uint8_t> bytes =
      is_changes ? changed_segment(input, (data[0] & 4) != 0) : std::vector<std::uint8_t>(input.begin(), input.end());
  if (is_mended) mend(bytes);
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
