// loci.yaml of any bytes.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ingest/project_config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static_cast<void>(loci::parse_project_config({reinterpret_cast<const char*>(data), size}));
  return 0;
}
