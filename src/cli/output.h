// Writing to the standard streams.
#pragma once

#include <string_view>

#include "loci/result.h"

namespace loci {

// All of the content, however many writes it takes. A closed pipe ends the process quietly by SIGPIPE, as it does for
// other tools. Errors: io.
Status write_to(int descriptor, std::string_view content);

}  // namespace loci
