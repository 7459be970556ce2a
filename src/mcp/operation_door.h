// One tool that leads to all operations: with a help of its own, so that their schemas cost nothing until asked for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/operation.h"
#include "mcp/operation_runner.h"
#include "mcp/tool_set.h"

namespace loci::mcp {

class OperationDoor {
 public:
  // `elsewhere`: operations that have tools of their own; they are called here, too, but not listed.
  OperationDoor(OperationRunner& runner, std::vector<std::string_view> elsewhere)
      : runner_(runner), elsewhere_(std::move(elsewhere)) {}

  // {"operation": name, "arguments": {…}}
  Json call(const Json& arguments, Call& call);

 private:
  std::string help() const;
  Json refusal(const std::string& wanted) const;  // of an operation that is not offered
  bool is_offered(const Operation& operation) const;
  std::vector<std::string_view> offered() const;

  OperationRunner& runner_;
  const std::vector<std::string_view> elsewhere_;
};

}  // namespace loci::mcp
