// Which sources there are, and how many drawers each has.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "api/json.h"
#include "loci/result.h"
#include "mcp/call.h"
#include "mcp/operation_runner.h"

namespace loci::mcp {

struct SourceCounts {
  std::map<std::pair<std::string, std::string>, std::size_t> drawers;  // by source and wing; both may be empty
  std::size_t left_out = 0;                                            // drawers that were too many to look at
};

// Of the drawers that the fields of the operation `list` choose. Errors: those of that operation.
Result<SourceCounts> count_sources(OperationRunner& runner, const Json& scope, Call& call);

// The last part of a path.
std::string base_name(const std::string& path);

}  // namespace loci::mcp
