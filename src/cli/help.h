// Help texts, made from the tables.
#pragma once

#include <string>

#include "api/json.h"
#include "api/operation.h"
#include "cli/terminal.h"

namespace loci {

// What `loci` says without arguments: what it is, and where to begin.
std::string overview(const Terminal& terminal);

// All commands and the options that they share.
std::string general_help(const Terminal& terminal);

// One command: usage, options, examples.
std::string command_help(const Terminal& terminal, const Operation& command);

// The operations with the schemas of their requests, for programs.
Json help_as_json();

}  // namespace loci
