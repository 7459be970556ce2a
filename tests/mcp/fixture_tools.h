// The tools of the conformance suite, by name.
#pragma once

#include <string>
#include <vector>

#include "mcp/features.h"

namespace loci::mcp {

struct FixtureTool {
  std::string name;
  Reply (*run)(const Json& arguments, Call& call);
  Json input_schema = {{"type", "object"}};
};

// Those that answer or talk to the client while they run.
const std::vector<FixtureTool>& plain_tools();

// Those that ask the client for input by an input_required result, in the modern era.
const std::vector<FixtureTool>& input_tools();

// The prompt that does so.
Reply prompt_with_input(Call& call);

}  // namespace loci::mcp
