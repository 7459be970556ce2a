#include "vector/segment_format.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>

#include <xxhash.h>

#include "vector/codes.h"

namespace loci {
namespace {

static_assert(std::endian::native == std::endian::little, "segments are mapped as they are and not converted");

constexpr std::string_view kMagic = "LociSeg\n";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kPalaceBytes = 32;
constexpr std::uint64_t kMostRows = std::uint64_t{1} << 31;
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kChecksumAt = kSegmentHeaderBytes - sizeof(std::uint64_t);

// One pass over the fields in their order, writing them or reading them.
class FieldWriter {
 public:
  explicit FieldWriter(std::span<std::uint8_t> bytes) : bytes_(bytes) {}
  template <typename Number>
  void number(const Number& value) {
    std::memcpy(bytes_.data() + at_, &value, sizeof value);
    at_ += sizeof value;
  }
  void text(std::string_view value, std::size_t size) {
    std::memcpy(bytes_.data() + at_, value.data(), std::min(value.size(), size));
    at_ += size;
  }

 private:
  std::span<std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

class FieldReader {
 public:
  explicit FieldReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  template <typename Number>
  void number(Number& value) {
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
  }
  void text(std::string& value, std::size_t size) {
    value.assign(reinterpret_cast<const char*>(bytes_.data() + at_), size);
    at_ += size;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

template <typename Fields, typename Header>
void pass_numbers(Fields& fields, Header& header) {
  fields.number(header.collection);
  fields.number(header.generation);
  fields.number(header.rows);
  fields.number(header.first_row);
  fields.number(header.last_row);
  fields.number(header.seed);
  fields.number(header.checksum_of_checksums);
  fields.number(header.dimension);
  fields.number(header.lists);
  fields.number(header.uncoded);
  fields.number(header.calibration.samples);
  fields.number(header.calibration.short_list);
  fields.number(header.calibration.recall);
  fields.number(header.calibration.probe_ratio);
}

std::size_t aligned(std::size_t offset) { return (offset + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

std::optional<SegmentLayout> layout_of(std::uint64_t rows, std::uint32_t dimension, std::uint32_t lists) {
  if (rows == 0 || rows > kMostRows || dimension == 0 || dimension > kLargestDimension || lists > rows) return {};
  SegmentLayout layout;
  std::size_t end = kSegmentHeaderBytes;
  const auto place = [&](std::size_t bytes) {
    const std::size_t begin = aligned(end);
    end = begin + bytes;
    return begin;
  };
  layout.center = place(dimension * sizeof(float));
  layout.centroids = place(std::size_t{lists} * dimension * sizeof(float));
  layout.list_ends = place(lists * sizeof(std::uint32_t));
  layout.row_numbers = place(rows * sizeof(std::int64_t));
  layout.order = place(lists > 0 ? rows * sizeof(std::uint32_t) : 0);
  layout.block_count = (rows + kBlockRows - 1) / kBlockRows;
  layout.block_bytes = kBlockRows * (bit_bytes(dimension) + 2 * sizeof(float));
  layout.blocks = place(layout.block_count * layout.block_bytes);
  layout.scales = place(rows * sizeof(float));
  layout.codes = place(rows * dimension);
  layout.checksums = place(0);
  layout.end = layout.checksums + checksum_count(layout) * sizeof(std::uint64_t);
  return layout;
}

std::uint64_t segment_checksum(std::span<const std::uint8_t> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::vector<std::uint8_t> encode_header(const SegmentHeader& header) {
  std::vector<std::uint8_t> bytes(kSegmentHeaderBytes);
  FieldWriter fields(bytes);
  fields.text(kMagic, kMagic.size());
  fields.number(kVersion);
  fields.number(static_cast<std::uint32_t>(header.metric));
  fields.text(header.palace, kPalaceBytes);
  pass_numbers(fields, header);
  fields.number(static_cast<std::uint32_t>(std::min(header.model.size(), kLongestModel)));
  fields.text(header.model, kLongestModel);
  fields.number(header.calibration.nearest);
  const std::uint64_t checksum = segment_checksum(std::span(bytes).first(kChecksumAt));
  std::memcpy(bytes.data() + kChecksumAt, &checksum, sizeof checksum);
  return bytes;
}

std::optional<SegmentHeader> decode_header(std::span<const std::uint8_t> bytes, NotASegment& why) {
  const auto refuse = [&](std::string text) {
    why.text = std::move(text);
    return std::optional<SegmentHeader>();
  };
  if (bytes.size() < kSegmentHeaderBytes) return refuse("the file is cut off");
  FieldReader fields(bytes);
  std::string magic;
  std::uint32_t version = 0;
  fields.text(magic, kMagic.size());
  fields.number(version);
  if (magic != kMagic) return refuse("the file is not a segment");
  if (version != kVersion) return refuse("the segment has the format " + std::to_string(version));
  std::uint64_t checksum = 0;
  std::memcpy(&checksum, bytes.data() + kChecksumAt, sizeof checksum);
  if (segment_checksum(bytes.first(kChecksumAt)) != checksum) return refuse("the header is damaged");

  SegmentHeader header;
  std::uint32_t metric = 0;
  std::uint32_t model_bytes = 0;
  fields.number(metric);
  fields.text(header.palace, kPalaceBytes);
  pass_numbers(fields, header);
  fields.number(model_bytes);
  fields.text(header.model, kLongestModel);
  fields.number(header.calibration.nearest);
  header.model.resize(std::min<std::size_t>(model_bytes, kLongestModel));
  header.metric = static_cast<DistanceMetric>(metric);
  const Calibration& calibration = header.calibration;
  const bool is_sound = metric <= static_cast<std::uint32_t>(DistanceMetric::ip) && header.uncoded <= header.rows &&
                        std::isfinite(calibration.probe_ratio) && std::isfinite(calibration.recall) &&
                        std::isfinite(calibration.nearest);
  const std::optional<SegmentLayout> layout = layout_of(header.rows, header.dimension, header.lists);
  if (!is_sound || !layout) return refuse("the header makes no sense");
  if (layout->end != bytes.size()) return refuse("the file has the wrong length");
  return header;
}

}  // namespace loci
