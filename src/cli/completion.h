// Completion scripts for shells, made from the tables.
#pragma once

#include <string>

namespace loci {

std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

}  // namespace loci
