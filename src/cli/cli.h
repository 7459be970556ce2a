// The command line: from words to an operation, and from its answer to text and an exit code.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/session.h"
#include "base/stop_time.h"
#include "cli/environment.h"
#include "cli/face.h"

namespace loci {

// Writes to the standard output and error, and returns the exit code. `faces` are what runs the commands that are none
// of ours. An interrupt sets the time of `stop` (cli/interrupt.h).
int run_command_line(std::span<const std::string> arguments, const Variables& variables, BackendRegistry& registry,
                     std::string_view version, std::span<const Face> faces, StopTime& stop);

}  // namespace loci
