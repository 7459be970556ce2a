#include "embed/packed_sections.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <xxhash.h>

namespace loci {
namespace {

constexpr std::uint32_t kVersion = 2;
constexpr std::size_t kAlignment = 64;

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t kind;
  std::uint64_t size;      // of the whole block
  std::uint64_t checksum;  // of what follows the header
  Sha256 identity;
  Sha256 content;
  std::array<char, 32> reserved;
};
static_assert(sizeof(Header) == 128);
constexpr std::array<char, 8> kMagic = {'L', 'O', 'C', 'I', 'P', 'A', 'C', 'K'};

std::size_t aligned(std::size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

SectionWriter::SectionWriter() : block_(sizeof(Header), '\0') {}

void SectionWriter::add_bytes(std::string_view bytes) {
  const std::uint64_t size = bytes.size();
  block_.append(reinterpret_cast<const char*>(&size), sizeof size);
  block_.resize(aligned(block_.size()));
  block_.append(bytes);
  block_.resize(aligned(block_.size()));
}

std::string SectionWriter::finish(std::uint32_t kind, const PackedFrom& from) && {
  const Header header = {.magic = kMagic,
                         .version = kVersion,
                         .kind = kind,
                         .size = block_.size(),
                         .checksum = XXH3_64bits(block_.data() + sizeof(Header), block_.size() - sizeof(Header)),
                         .identity = from.identity,
                         .content = from.content,
                         .reserved = {}};
  std::memcpy(block_.data(), &header, sizeof header);
  return std::move(block_);
}

Result<SectionReader> SectionReader::open(std::span<const std::uint8_t> block, std::uint32_t kind,
                                          const Sha256& identity) {
  Header header = {};
  if (block.size() < sizeof header) return damaged();
  std::memcpy(&header, block.data(), sizeof header);
  if (header.magic != kMagic || header.version != kVersion || header.kind != kind || header.identity != identity) {
    return Error{ErrorKind::corruption, "the packed model was made from other files or by another version"};
  }
  const std::span<const std::uint8_t> rest = block.subspan(sizeof header);
  if (header.size != block.size() || header.checksum != XXH3_64bits(rest.data(), rest.size())) return damaged();
  return SectionReader(rest, header.content);
}

Result<std::span<const std::uint8_t>> SectionReader::next() {
  std::uint64_t size = 0;
  if (rest_.size() < kAlignment) return damaged();
  std::memcpy(&size, rest_.data(), sizeof size);
  rest_ = rest_.subspan(kAlignment);
  if (size > rest_.size()) return damaged();
  const std::span<const std::uint8_t> bytes = rest_.first(size);
  rest_ = rest_.subspan(std::min(rest_.size(), aligned(size)));
  return bytes;
}

Error SectionReader::damaged() { return {ErrorKind::corruption, "the packed model is damaged"}; }

}  // namespace loci
