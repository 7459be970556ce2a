#include "document/prose.h"

#include <array>

namespace loci {

void Prose::add(std::string_view text) {
  if (text.empty() || is_over_limit_) return;
  constexpr std::array<std::string_view, 5> kGaps = {"", " ", "\t", "\n", "\n\n"};
  const std::string_view gap = text_.empty() ? "" : kGaps[static_cast<std::size_t>(wanted_)];
  if (text_.size() + gap.size() + text.size() >= limit_bytes_) {
    is_over_limit_ = true;
    return;
  }
  text_.append(gap).append(text);
  wanted_ = Break::none;
}

std::string Prose::take() && {
  while (!text_.empty() && (text_.back() == ' ' || text_.back() == '\n' || text_.back() == '\t')) text_.pop_back();
  if (!text_.empty()) text_ += '\n';
  return std::move(text_);
}

}  // namespace loci
