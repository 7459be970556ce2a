#include "text/outline.h"

#include <algorithm>
#include <cassert>

namespace loci {

void Outline::add(std::size_t byte, std::size_t rank) {
  if (byte == 0) return;
  const auto capped = static_cast<std::uint8_t>(std::min(rank, kRanks - 1));
  assert(breaks_.empty() || breaks_.back().byte <= byte);
  if (!breaks_.empty() && breaks_.back().byte == byte) {
    breaks_.back().rank = std::min(breaks_.back().rank, capped);
  } else {
    breaks_.push_back({byte, capped});
  }
}

Outline outline_of(std::string_view, const TextType&) { return Outline(0, Filling::prose); }

}  // namespace loci
