// Running this program anew, as somebody at a terminal would.
#pragma once

#include <string>
#include <vector>

#include "base/program_run.h"
#include "loci/result.h"

namespace loci {

// Waits for its end. Its standard error is ours, its standard input is empty. Errors: those of RunProgram.
Result<ProgramRun> run_own_program(const std::vector<std::string>& arguments);

}  // namespace loci
