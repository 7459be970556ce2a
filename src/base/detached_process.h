// Starting a program that goes on by itself.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "loci/result.h"

namespace loci {

// The file that this process runs.
Result<std::filesystem::path> this_program();

// Starts the program in a session of its own, with low priority for processor and disk, "/" as its folder and the
// standard streams on /dev/null; every other descriptor is closed, so that nobody who waits for our pipes waits for it.
// It is nobody's child that would have to be waited for. The environment is ours. Errors: those of fork(2) and
// execve(2).
Status start_detached(const std::filesystem::path& program, std::span<const std::string> arguments);

}  // namespace loci
