#include "embed/vocabulary.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <xxhash.h>

namespace loci {
namespace {

struct Counts {
  std::uint32_t pieces;
  std::uint32_t slots;
  std::uint32_t text_bytes;
  std::uint32_t longest;
};

std::size_t slot_of(std::string_view piece, std::size_t slot_count) {
  return XXH3_64bits(piece.data(), piece.size()) & (slot_count - 1);
}

template <typename T>
void append_bytes(std::string& out, const T* values, std::size_t count) {
  out.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

}  // namespace

std::string Vocabulary::build(std::span<const std::pair<std::string, TokenId>> pieces) {
  const std::size_t slot_count = std::bit_ceil(pieces.size() * 2 + 1);
  std::vector<std::uint32_t> slots(slot_count, 0);
  std::vector<Piece> table;
  std::string text;
  std::size_t longest = 0;
  for (const auto& [piece, id] : pieces) {
    std::size_t slot = slot_of(piece, slot_count);
    while (slots[slot] != 0) slot = (slot + 1) & (slot_count - 1);
    table.push_back({static_cast<std::uint32_t>(text.size()), static_cast<std::uint32_t>(piece.size()), id});
    slots[slot] = static_cast<std::uint32_t>(table.size());
    text += piece;
    longest = std::max(longest, piece.size());
  }
  const Counts counts = {static_cast<std::uint32_t>(table.size()), static_cast<std::uint32_t>(slot_count),
                         static_cast<std::uint32_t>(text.size()), static_cast<std::uint32_t>(longest)};
  std::string block;
  append_bytes(block, &counts, 1);
  append_bytes(block, slots.data(), slots.size());
  append_bytes(block, table.data(), table.size());
  return block + text;
}

Result<Vocabulary> Vocabulary::view(std::span<const std::uint8_t> block) {
  const Error damaged = {ErrorKind::corruption, "the vocabulary is damaged"};
  Counts counts = {};
  if (block.size() < sizeof counts) return damaged;
  std::memcpy(&counts, block.data(), sizeof counts);
  const std::uint64_t expected = sizeof counts + std::uint64_t{counts.slots} * sizeof(std::uint32_t) +
                                 std::uint64_t{counts.pieces} * sizeof(Piece) + counts.text_bytes;
  // A free slot ends each search.
  if (expected != block.size() || !std::has_single_bit(counts.slots) || counts.pieces >= counts.slots) return damaged;

  Vocabulary vocabulary;
  const std::uint8_t* at = block.data() + sizeof counts;
  vocabulary.slots_ = {reinterpret_cast<const std::uint32_t*>(at), counts.slots};
  at += vocabulary.slots_.size_bytes();
  vocabulary.pieces_ = {reinterpret_cast<const Piece*>(at), counts.pieces};
  at += vocabulary.pieces_.size_bytes();
  vocabulary.text_ = {reinterpret_cast<const char*>(at), counts.text_bytes};
  vocabulary.longest_ = counts.longest;
  for (const std::uint32_t slot : vocabulary.slots_) {
    if (slot > counts.pieces) return damaged;
  }
  for (const Piece& piece : vocabulary.pieces_) {
    if (std::uint64_t{piece.begin} + piece.length > counts.text_bytes || piece.id < 0) return damaged;
    vocabulary.largest_id_ = std::max(vocabulary.largest_id_, piece.id);
  }
  return vocabulary;
}

std::optional<TokenId> Vocabulary::find(std::string_view piece) const {
  if (slots_.empty()) return std::nullopt;
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = slot_of(piece, slots_.size());
  for (std::size_t tries = 0; tries < slots_.size() && slots_[slot] != 0; ++tries, slot = (slot + 1) & mask) {
    const Piece& candidate = pieces_[slots_[slot] - 1];
    if (text_.substr(candidate.begin, candidate.length) == piece) return candidate.id;
  }
  return std::nullopt;
}

}  // namespace loci
