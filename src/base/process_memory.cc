#include "base/process_memory.h"

#include <cstdlib>
#include <fstream>
#include <string>

#include <malloc.h>

namespace loci {

std::optional<std::size_t> private_memory_bytes() {
  std::ifstream rollup("/proc/self/smaps_rollup");
  std::optional<std::size_t> kilobytes;
  for (std::string line; std::getline(rollup, line);) {
    if (!line.starts_with("Private_")) continue;
    const char* number = line.c_str() + line.find(':') + 1;
    kilobytes = kilobytes.value_or(0) + std::strtoull(number, nullptr, 10);
  }
  if (!kilobytes) return std::nullopt;
  return *kilobytes * 1024;
}

void give_back_free_memory() { ::malloc_trim(0); }

}  // namespace loci
