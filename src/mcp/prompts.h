// Prompts that a user picks: what is known of a topic, what happened lately, and the wish to save this session.
#pragma once

#include <string>
#include <string_view>

#include "mcp/call.h"
#include "mcp/operation_runner.h"
#include "mcp/protocol.h"

namespace loci::mcp {

Json list_prompts();
bool has_prompt(std::string_view name);

// Errors: invalid params for an unknown name or an argument that is missing.
Reply make_prompt(OperationRunner& runner, const std::string& name, const Json& arguments, Call& call);

}  // namespace loci::mcp
