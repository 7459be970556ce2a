// The word pieces of a model and their numbers, as one block of bytes that can be mapped from a file and asked at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loci/result.h"

namespace loci {

using TokenId = std::int32_t;

// A view of a block that must outlive it. Many threads may ask at once.
//
// The block: four 32-bit counts (pieces, slots, bytes of text, longest piece), the slots of an open hash table (number
// of a piece plus one, 0 for none), for each piece where its text begins, its length and its id, then the text.
class Vocabulary {
 public:
  // Pieces must be distinct.
  static std::string build(std::span<const std::pair<std::string, TokenId>> pieces);

  // Errors: corruption, when the parts do not fit into the block.
  static Result<Vocabulary> view(std::span<const std::uint8_t> block);

  std::optional<TokenId> find(std::string_view piece) const;

  // No piece has more bytes.
  std::size_t longest_piece_bytes() const { return longest_; }
  std::size_t size() const { return pieces_.size(); }
  TokenId largest_id() const { return largest_id_; }  // -1 when it is empty

 private:
  struct Piece {
    std::uint32_t begin;
    std::uint32_t length;
    TokenId id;
  };

  std::span<const std::uint32_t> slots_;
  std::span<const Piece> pieces_;
  std::string_view text_;
  std::size_t longest_ = 0;
  TokenId largest_id_ = -1;
};

}  // namespace loci
