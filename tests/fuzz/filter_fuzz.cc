// The JSON dialect of filters: whatever is given, parsing it ends in a filter or an error, and a filter that is printed
// and parsed again is the same filter.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "loci/filter.h"

namespace {

template <typename AnyFilter, typename Parse>
void check_round_trip(std::string_view json, Parse parse) {
  const loci::Result<AnyFilter> filter = parse(json);
  if (!filter.ok()) return;
  const loci::Result<AnyFilter> again = parse(to_json(*filter));
  if (!again.ok() || !(*again == *filter)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  check_round_trip<loci::Filter>(json, loci::parse_filter);
  check_round_trip<loci::DocumentFilter>(json, loci::parse_document_filter);
  return 0;
}
