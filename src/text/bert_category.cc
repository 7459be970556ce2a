#include "text/bert_category.h"

#include <algorithm>
#include <iterator>

#include <utf8proc.h>

namespace loci {
namespace {

struct YoungRange {
  char32_t first;
  char32_t last;
};

// Marks, punctuation and format characters that are younger than the reference, found by comparing all code points;
// what else lies in the ranges is of no such kind in any version.
constexpr YoungRange kYounger[] = {
    {0x061D, 0x061D},   {0x07FD, 0x07FD},   {0x0890, 0x08E2},   {0x09FD, 0x09FE},   {0x0A76, 0x0A76},
    {0x0AFA, 0x0AFF},   {0x0B55, 0x0B55},   {0x0C04, 0x0C3C},   {0x0C77, 0x0C77},   {0x0C84, 0x0C84},
    {0x0D00, 0x0D00},   {0x0D3B, 0x0D3C},   {0x0D81, 0x0D81},   {0x0EBA, 0x0EBA},   {0x0ECE, 0x0ECE},
    {0x180F, 0x1886},   {0x1ABF, 0x1ACE},   {0x1B7D, 0x1B7E},   {0x1DF6, 0x1DFB},   {0x2E43, 0x2E5D},
    {0xA82C, 0xA82C},   {0xA8C5, 0xA8C5},   {0xA8FF, 0xA8FF},   {0xA9BD, 0xA9BD},   {0x10D24, 0x10F89},
    {0x11070, 0x11074}, {0x110C2, 0x110CD}, {0x111CF, 0x111CF}, {0x1123E, 0x11241}, {0x1133B, 0x1133B},
    {0x11438, 0x1145E}, {0x11660, 0x1166C}, {0x116B9, 0x116B9}, {0x1182F, 0x11FFF}, {0x12FF1, 0x13455},
    {0x16E97, 0x16F4F}, {0x16FE2, 0x16FE4}, {0x1CF00, 0x1CF46}, {0x1E000, 0x1E4EF}, {0x1E944, 0x1E95F},
};

bool is_younger(char32_t code_point) {
  const auto* found =
      std::ranges::lower_bound(kYounger, code_point, {}, [](const YoungRange& range) { return range.last; });
  return found != std::end(kYounger) && found->first <= code_point;
}

}  // namespace

BertCategory bert_category(char32_t code_point) {
  // Three that have changed their kind since.
  if (code_point == 0x166D || code_point == 0x111C9) return BertCategory::punctuation;
  if (code_point == 0x1734) return BertCategory::mark;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code_point))) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CO: return BertCategory::dropped;
    case UTF8PROC_CATEGORY_CF: return is_younger(code_point) ? BertCategory::other : BertCategory::dropped;
    case UTF8PROC_CATEGORY_MN: return is_younger(code_point) ? BertCategory::other : BertCategory::mark;
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO: return is_younger(code_point) ? BertCategory::other : BertCategory::punctuation;
    default: return BertCategory::other;
  }
}

}  // namespace loci
