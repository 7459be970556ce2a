// Configuration files: whatever is in one, reading it ends in settings or in an error that names the file.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/configuration_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  for (const auto keys : {loci::user_configuration_keys(), loci::palace_configuration_keys()}) {
    const auto layer = loci::parse_configuration(content, "/config.json", keys);
    if (!layer.ok() && layer.error().message.find("/config.json") == std::string::npos) std::abort();
  }
  return 0;
}
