// One run of a program that was waited for.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "loci/result.h"

namespace loci {

struct ProgramRun {
  double seconds = 0;  // from its start to its end
  std::string output;  // what it wrote to the standard output
};

// Runs some program with these arguments. Errors: internal when it does not end with 0; io.
using RunProgram = std::function<Result<ProgramRun>(const std::vector<std::string>& arguments)>;

}  // namespace loci
