#include "text/place_name.h"

#include <utf8proc.h>

#include "base/utf8.h"
#include "text/char_class.h"

namespace loci {

std::string place_name_from(std::string_view text) {
  std::string name;
  bool is_after_gap = false;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint next = decode_utf8(text, at);
    at += next.length;
    const CharClass kind = classify(next.value);
    if (kind == CharClass::ignorable) continue;
    if (kind == CharClass::separator) {
      is_after_gap = !name.empty();
      continue;
    }
    if (is_after_gap) name += '_';
    is_after_gap = false;
    append_utf8(name, static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(next.value))));
  }
  return name;
}

}  // namespace loci
