// Tools with names, parameters and answers that belong together: Loci's own, or those of a program that people move
// from.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mcp/features.h"
#include "mcp/operation_runner.h"

namespace loci::mcp {

class ToolSet {
 public:
  virtual ~ToolSet() = default;

  virtual Identity identity() const = 0;
  virtual std::vector<Tool> tools() const = 0;
  virtual Reply call(const std::string& name, const Json& arguments, Call& call) = 0;
};

// The runner outlives the tools.
std::unique_ptr<ToolSet> make_loci_tools(OperationRunner& runner);
std::unique_ptr<ToolSet> make_mempalace_tools(OperationRunner& runner);
std::unique_ptr<ToolSet> make_memtomem_tools(OperationRunner& runner);

// {"content": [{"type": "text", …}]}, with isError for what went wrong.
Json text_result(std::string text);
Json error_result(std::string text);

}  // namespace loci::mcp
