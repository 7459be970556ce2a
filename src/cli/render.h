// Answers for people. Each operation may have a form of its own; one that has none is shown as JSON.
#pragma once

#include <string>

#include "api/json.h"
#include "api/operation.h"
#include "cli/terminal.h"

namespace loci {

std::string render(const Terminal& terminal, const Operation& operation, const Json& answer);

}  // namespace loci
