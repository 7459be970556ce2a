#include "store/chroma/hnsw_files.h"

#include <cmath>
#include <cstring>

#include "store/chroma/little_endian.h"

namespace loci::chroma {
namespace {

constexpr std::uint32_t kHighestLevel = 40;

Error broken(std::string what) { return {ErrorKind::corruption, "header.bin: " + std::move(what)}; }

}  // namespace

Result<HnswHeader> parse_hnsw_header(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < kHnswHeaderBytes) return broken("has " + std::to_string(bytes.size()) + " bytes instead of 100");
  const auto number = [&](std::size_t offset) { return *load<std::uint64_t>(bytes, offset); };
  if (const auto version = *load<std::int32_t>(bytes, 0); version != 1)
    return broken("has version " + std::to_string(version) + " instead of 1");
  const std::uint64_t slot_bytes = number(28);
  const std::uint64_t label_offset = number(36);
  const std::uint64_t data_offset = number(44);
  const std::uint64_t neighbours = number(60);
  if (neighbours == 0 || neighbours > kLargestNeighbours)
    return broken("has " + std::to_string(neighbours) + " neighbours");
  if (label_offset < data_offset || (label_offset - data_offset) % 4 != 0 ||
      (label_offset - data_offset) / 4 > kLargestDimension || label_offset == data_offset) {
    return broken("has no dimension");
  }
  HnswHeader header;
  header.geometry = {.neighbours = neighbours, .dimension = (label_offset - data_offset) / 4};
  header.count = number(20);
  const HnswGeometry& geometry = header.geometry;
  if (number(4) != 0 || geometry.data_offset() != data_offset || geometry.slot_bytes() != slot_bytes ||
      number(68) != 2 * neighbours || number(76) != neighbours) {
    return broken("its offsets contradict each other");
  }
  return header;
}

std::uint64_t HnswSlots::label(std::size_t slot) const {
  return *load<std::uint64_t>(bytes_, slot * geometry_.slot_bytes() + geometry_.label_offset());
}

std::span<const float> HnswSlots::vector(std::size_t slot) const {
  const std::uint8_t* data = bytes_.data() + slot * geometry_.slot_bytes() + geometry_.data_offset();
  return {reinterpret_cast<const float*>(data), geometry_.dimension};
}

std::optional<float> vector_length(std::span<const std::uint8_t> bytes, std::size_t slot) {
  if (slot >= bytes.size() / sizeof(float)) return {};
  const float length = *load<float>(bytes, slot * sizeof(float));
  if (!std::isfinite(length) || length <= 0) return {};
  return length;
}

std::string check_link_lists(std::span<const std::uint8_t> bytes, std::uint64_t count, const HnswGeometry& geometry) {
  std::size_t offset = 0;
  for (std::uint64_t slot = 0; slot < count; ++slot) {
    const auto size = load<std::uint32_t>(bytes, offset);
    if (!size) return "ends at slot " + std::to_string(slot) + " of " + std::to_string(count);
    if (*size % geometry.level_bytes() != 0 || *size / geometry.level_bytes() > kHighestLevel)
      return "slot " + std::to_string(slot) + " has a list of " + std::to_string(*size) + " bytes";
    offset += sizeof *size;
    if (bytes.size() - offset < *size) return "ends inside slot " + std::to_string(slot);
    offset += *size;
  }
  if (offset < bytes.size()) return "goes on behind its last list";
  return {};
}

}  // namespace loci::chroma
