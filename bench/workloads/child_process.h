// Runs a program and says what it took, for benches of whole commands. Linux only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loci/result.h"

namespace loci::bench {

// The wall-clock seconds from start to end; its output is thrown away. Errors: io; internal when it does not exit with
// 0.
Result<double> run_seconds(const std::vector<std::string>& command);

struct MemoryUse {
  std::int64_t private_bytes = 0;  // resident and shared with nobody, at the moment it exits
  std::int64_t peak_bytes = 0;     // resident at most, with what it shares with other programs
};
// Errors: as above.
Result<MemoryUse> run_memory(const std::vector<std::string>& command);

}  // namespace loci::bench
