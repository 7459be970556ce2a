// Decoding and chunking: whatever bytes a file has, it is refused or becomes valid text, and the chunks of that text,
// laid end to end, are the text. The first byte of an input chooses the kind and the target.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "text/chunk.h"
#include "text/content_date.h"
#include "text/decode.h"

namespace {

constexpr std::array<std::string_view, 27> kNames = {
    "a.md",  "a.json", "a.yaml", "a.toml", "a.ini", "a.html", "a.xml", "a.csv", "a.txt",
    "a.rst", "a.tex",  "a.log",  "a.c",    "a.cpp", "a.cs",   "a.css", "a.go",  "a.java",
    "a.js",  "a.kt",   "a.php",  "a.py",   "a.rb",  "a.rs",   "a.sh",  "a.sql", "CMakeLists.txt"};

void require(bool condition) {
  if (!condition) std::abort();
}

void check_chunks(std::string_view text, const loci::TextType& type, std::size_t target) {
  std::size_t at = 0;
  for (const loci::Chunk& chunk : loci::chunk_text(text, type, {.target_characters = target})) {
    require(chunk.byte_start == at && chunk.byte_end > at && chunk.byte_end <= text.size());
    require(chunk.line_start <= chunk.line_end);
    require(loci::floor_char_boundary(text, chunk.byte_end) == chunk.byte_end);
    at = chunk.byte_end;
  }
  require(at == text.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view name = kNames[data[0] % kNames.size()];
  const std::size_t target = data[0] >= 128 ? 16 : 60;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::optional<loci::Decoded> decoded = loci::decode_text(bytes);
  if (!decoded) return 0;
  require(loci::is_valid_utf8(decoded->text) && decoded->text.find('\0') == std::string::npos);
  loci::content_date(decoded->text.substr(0, 40), decoded->text);
  check_chunks(decoded->text, loci::detect_text_type(name, decoded->text), target);
  return 0;
}
