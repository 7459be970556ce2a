// Writing to the standard streams.
#pragma once

#include <string_view>

#include "loci/result.h"

namespace loci {

// A standard stream that is closed would lend its number to the next file that is opened, and what is meant for the
// stream would go into that file. Afterwards such a stream is there, and every use of it fails.
void reserve_standard_streams();

// All of the content, however many writes it takes. A closed pipe ends the process quietly by SIGPIPE, as it does for
// other tools. Errors: io.
Status write_to(int descriptor, std::string_view content);

}  // namespace loci
