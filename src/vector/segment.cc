#include "vector/segment.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace loci {
namespace {

Error not_usable(const std::string& why) { return {ErrorKind::corruption, why}; }

}  // namespace

Segment::Segment(SegmentHeader header, const SegmentLayout& layout, std::span<const std::uint8_t> bytes)
    : header_(std::move(header)), layout_(layout), bytes_(bytes), is_checked_(checksum_count(layout)) {}

Result<std::shared_ptr<Segment>> Segment::make(std::span<const std::uint8_t> bytes) {
  NotASegment why;
  std::optional<SegmentHeader> header = decode_header(bytes, why);
  if (!header) return not_usable(why.text);
  const SegmentLayout layout = *layout_of(header->rows, header->dimension, header->lists);
  if (segment_checksum(bytes.subspan(layout.checksums)) != header->checksum_of_checksums)
    return not_usable("the checksums are damaged");
  std::shared_ptr<Segment> segment(new Segment(std::move(*header), layout, bytes));
  const std::size_t dimension = segment->header_.dimension;
  const float* const center = segment->at<float>(layout.center, 0, dimension);
  if (center == nullptr) return not_usable("the centre is damaged");
  if (!Encoder::can_be_center(std::span(center, dimension))) return not_usable("the centre makes no sense");
  segment->encoder_ =
      std::make_unique<Encoder>(segment->header_.metric, std::span(center, dimension), segment->header_.seed);
  return segment;
}

Result<std::shared_ptr<const Segment>> Segment::from_bytes(std::span<const std::uint8_t> bytes) {
  return std::shared_ptr<const Segment>(TRY(make(bytes)));
}

Result<std::shared_ptr<const Segment>> Segment::open(const std::filesystem::path& path) {
  std::unique_ptr<GuardedFile> file = TRY(GuardedFile::open(path));
  std::shared_ptr<Segment> segment = TRY(make(file->bytes()));
  segment->file_ = std::move(file);
  if (!segment->is_intact()) return not_usable("the file was cut off while it was opened");
  return std::shared_ptr<const Segment>(std::move(segment));
}

bool Segment::check_block(std::size_t block) const {
  const std::size_t begin = kSegmentHeaderBytes + block * kChecksumBlockBytes;
  const std::size_t size = std::min(kChecksumBlockBytes, layout_.checksums - begin);
  std::uint64_t expected = 0;
  std::memcpy(&expected, bytes_.data() + layout_.checksums + block * sizeof expected, sizeof expected);
  if (segment_checksum(bytes_.subspan(begin, size)) != expected) {
    is_damaged_.store(true, std::memory_order_relaxed);
    return false;
  }
  is_checked_[block].store(1, std::memory_order_relaxed);
  return true;
}

bool Segment::is_good(std::size_t offset, std::size_t size) const {
  if (size == 0) return true;
  const std::size_t first = (offset - kSegmentHeaderBytes) / kChecksumBlockBytes;
  const std::size_t last = (offset + size - 1 - kSegmentHeaderBytes) / kChecksumBlockBytes;
  for (std::size_t block = first; block <= last; ++block) {
    if (is_checked_[block].load(std::memory_order_relaxed) == 0 && !check_block(block)) return false;
  }
  return true;
}

bool Segment::verify_all() const {
  for (std::size_t block = 0; block < is_checked_.size(); ++block) {
    if (!check_block(block)) return false;
  }
  return is_intact();
}

std::optional<BitBlock> Segment::block(std::size_t block) const {
  const std::size_t offset = layout_.blocks + block * layout_.block_bytes;
  if (!is_good(offset, layout_.block_bytes)) return {};
  return BlockView(bytes_.subspan(offset, layout_.block_bytes), header_.dimension)[0];
}

const std::int8_t* Segment::codes(std::uint32_t slot, std::size_t slots) const {
  const std::size_t dimension = header_.dimension;
  return at<std::int8_t>(layout_.codes, slot * dimension, slots * dimension);
}

const float* Segment::scales(std::uint32_t slot, std::size_t slots) const {
  return at<float>(layout_.scales, slot, slots);
}

std::optional<RowFactors> Segment::factors(std::uint32_t slot) const {
  const std::optional<BitBlock> numbers = block(slot / kBlockRows);
  const float* const scale = scales(slot);
  if (!numbers || scale == nullptr) return {};
  return RowFactors{numbers->offsets[slot % kBlockRows], numbers->slopes[slot % kBlockRows], *scale};
}

void Segment::prefetch(std::uint32_t slot) const {
  constexpr std::size_t kCacheLine = 64;
  const auto fetch = [&](std::size_t offset, std::size_t size) {
    for (std::size_t at = offset / kCacheLine * kCacheLine; at < offset + size; at += kCacheLine)
      __builtin_prefetch(bytes_.data() + at);
  };
  fetch(layout_.codes + slot * std::size_t{header_.dimension}, header_.dimension);
  fetch(layout_.scales + slot * sizeof(float), sizeof(float));
  const std::size_t block = layout_.blocks + slot / kBlockRows * layout_.block_bytes;
  const BitBlock numbers = BlockView(bytes_.subspan(block, layout_.block_bytes), header_.dimension)[0];
  __builtin_prefetch(numbers.offsets + slot % kBlockRows);
  __builtin_prefetch(numbers.slopes + slot % kBlockRows);
}

const float* Segment::centroids() const {
  return at<float>(layout_.centroids, 0, std::size_t{header_.lists} * header_.dimension);
}

std::span<const std::uint32_t> Segment::list_ends() const {
  const auto* const ends = at<std::uint32_t>(layout_.list_ends, 0, header_.lists);
  if (ends == nullptr) return {};
  return {ends, header_.lists};
}

std::optional<std::int64_t> Segment::row_at(std::uint32_t slot) const {
  const auto* const row = at<std::int64_t>(layout_.row_numbers, slot, 1);
  return row == nullptr ? std::nullopt : std::optional(*row);
}

std::optional<std::uint32_t> Segment::slot_of(std::int64_t row) const {
  if (row < header_.first_row || row > header_.last_row) return {};
  std::size_t low = 0;
  std::size_t high = size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    auto slot = static_cast<std::uint32_t>(middle);
    if (header_.lists > 0) {
      const auto* const ordered = at<std::uint32_t>(layout_.order, middle, 1);
      if (ordered == nullptr || *ordered >= size()) return {};
      slot = *ordered;
    }
    const std::optional<std::int64_t> found = row_at(slot);
    if (!found) return {};
    if (*found == row) return slot;
    if (*found < row) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return {};
}

}  // namespace loci
