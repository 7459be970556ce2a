#include "text/outline.h"

#include <algorithm>
#include <cassert>

#include "text/lines.h"

namespace loci {

void Outline::add(std::size_t byte, std::size_t rank) {
  if (byte == 0) return;
  const auto capped = static_cast<std::uint8_t>(std::min(rank, kRanks - 1));
  assert(byte <= kMostTextBytes);
  assert(breaks_.empty() || breaks_.back().byte <= byte);
  if (!breaks_.empty() && breaks_.back().byte == byte) {
    breaks_.back().rank = std::min(breaks_.back().rank, capped);
  } else {
    breaks_.push_back({static_cast<std::uint32_t>(byte), capped});
  }
}

void Outline::add_lines(std::string_view text, std::size_t start, std::size_t end, std::size_t rank) {
  const std::string_view part = text.substr(start, end - start);
  LineReader lines(part);
  while (lines.next()) {
    if (!is_blank(lines.line())) add(start + lines.start(), rank);
  }
}

void Outline::add_part(const Outline& part, std::size_t start, std::size_t rank) {
  for (const Break& inner : part.breaks()) add(start + inner.byte, inner.rank + rank);
}

Outline outline_of(std::string_view text, const TextType& type) {
  switch (type.kind) {
    case TextKind::markdown: return outline_markdown(text);
    case TextKind::code: return outline_code(text, type.language);
    case TextKind::json: return outline_json(text);
    case TextKind::yaml: return outline_yaml(text);
    case TextKind::toml:
    case TextKind::ini: return outline_toml(text);
    case TextKind::html: return outline_html(text);
    case TextKind::xml: return outline_xml(text);
    case TextKind::csv: return outline_csv(text);
    case TextKind::plain: return outline_plain(text, type.language);
  }
  return outline_plain(text, {});
}

}  // namespace loci
