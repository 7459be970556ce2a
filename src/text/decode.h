// Bytes of a file as UTF-8 text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace loci {

struct Decoded {
  std::string text;           // valid UTF-8 without a byte order mark and without NUL
  std::string_view encoding;  // "utf-8", "utf-8-bom", "utf-16le", "utf-16be" or "latin-1", a constant
  std::size_t replaced_nuls = 0;
};

// The text of a file, or nothing when the bytes are no text.
//
// - A byte order mark decides. UTF-16 without one is recognised by its zero bytes, as long as most of the text is
// ASCII;
//   a surrogate without its partner and an odd last byte become U+FFFD.
// - Valid UTF-8 is taken as it is.
// - Mostly UTF-8, with fewer bad bytes than sequences beyond ASCII: the bad bytes become what they are in Windows-1252,
// and
//   all else stays. Otherwise every byte is read as Windows-1252, which is Latin-1 with letters and signs in place of
//   control characters. Both are called "latin-1".
// - Binary is what has many control characters that no text has. With NUL among them, as a crash leaves it in a log,
// fewer
//   of them are enough, anywhere, and all else must be UTF-8; such a NUL becomes U+FFFD, as no text here may have one.
std::optional<Decoded> decode_text(std::string bytes);

}  // namespace loci
