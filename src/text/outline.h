// Where meaning breaks in a text, as far as its kind shows it. One function per kind; all take time in proportion to
// the text and forgive whatever is malformed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/text_type.h"

namespace loci {

inline constexpr std::size_t kRanks = 16;

// A place where a chunk may begin.
struct Break {
  std::size_t byte;
  std::uint8_t rank;  // 0 is the strongest

  bool operator==(const Break&) const = default;
};

// How a piece is cut that is too long and has no breaks of its own: at paragraphs, in prose at sentences, then at
// lines, then between words, then between characters.
enum class Filling { lines, prose };

class Outline {
 public:
  // Ranks below `eager_ranks` are cut at wherever both sides are long enough; the others only in what is too long.
  explicit Outline(std::size_t eager_ranks = 0, Filling filling = Filling::lines)
      : eager_ranks_(eager_ranks), filling_(filling) {}

  // Breaks come in order. Of two at the same place the stronger stays; a rank past the last counts as the last. The
  // beginning of the text is no break.
  void add(std::size_t byte, std::size_t rank);

  const std::vector<Break>& breaks() const { return breaks_; }
  std::size_t eager_ranks() const { return eager_ranks_; }
  Filling filling() const { return filling_; }

 private:
  std::vector<Break> breaks_;
  std::size_t eager_ranks_;
  Filling filling_;
};

Outline outline_of(std::string_view text, const TextType& type);

}  // namespace loci
