// Texts that a command takes from a file or from the standard input.
#pragma once

#include <cstddef>
#include <string>

#include "loci/result.h"

namespace loci {

// The content of a file, pipe or device, or of the standard input for "-". Reading stops at the limit, also for a
// stream that never ends. Errors: invalid_argument (longer than that, a folder), not_found, io.
Result<std::string> read_text(const std::string& path, std::size_t limit_bytes);

}  // namespace loci
