// Another program that turns bytes into bytes, kept on a short leash.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "loci/result.h"

namespace loci {

struct FilterRun {
  std::vector<std::string> command;  // the program, looked for on the path, and its arguments
  std::string_view input = {};       // its standard input
  std::size_t output_bytes = 0;      // it is ended when it writes more
  std::size_t memory_bytes = 0;      // of its address space
  std::size_t seconds = 60;          // it is ended when it takes longer
};

// What it wrote to its standard output; what it says on the standard error goes nowhere. Errors: not_found when there
// is no such program; corruption when it does not end with 0; invalid_argument beyond the limits of output and time;
// io.
Result<std::string> run_filter(const FilterRun& run);

}  // namespace loci
