// Documents of any bytes: as the archive itself, and as the XML in a sound archive, which random bytes seldom are.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "document/document_text.h"
#include "document/made_zip.h"

namespace {

void check(loci::DocumentKind kind, std::string_view bytes) {
  const loci::DocumentLimits limits = {.text_bytes = 100'000, .unpacked_bytes = 1'000'000};
  const loci::Result<std::string> text = loci::document_text(kind, bytes, limits);
  if (!text.ok()) return;
  if (text->size() > limits.text_bytes || !loci::is_valid_utf8(*text) || text->find('\0') != std::string::npos)
    std::abort();
}

}  // namespace

// PDF is left out: another program reads it, and is not ours to search.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  check(loci::DocumentKind::docx, bytes);
  check(loci::DocumentKind::odt, bytes);
  check(loci::DocumentKind::epub, bytes);
  check(loci::DocumentKind::docx, loci::make_zip({{"word/document.xml", bytes}}));
  check(loci::DocumentKind::odt, loci::make_zip({{"content.xml", bytes}}));
  check(loci::DocumentKind::epub, loci::make_zip({{"META-INF/container.xml", "<c><rootfile full-path='p'/></c>"},
                                                  {"p", "<p><item id='1' href='x'/><itemref idref='1'/></p>"},
                                                  {"x", bytes}}));
  check(loci::DocumentKind::epub,
        loci::make_zip(
            {{"META-INF/container.xml", "<c><rootfile full-path='p'/></c>"}, {"p", bytes}, {"x", "<a>t</a>"}}));
  return 0;
}
