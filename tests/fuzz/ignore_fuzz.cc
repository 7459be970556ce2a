// The first line is a path, all others are an ignore file.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ingest/ignore_rules.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  if (size > 4'096) return 0;
  const std::string_view path = text.substr(0, text.find('\n'));
  text.remove_prefix(path.size());
  const auto patterns = loci::parse_ignore_lines(text);
  static_cast<void>(loci::verdict_of(patterns, path, loci::EntryKind::file));
  static_cast<void>(loci::verdict_of(patterns, path, loci::EntryKind::folder));
  return 0;
}
