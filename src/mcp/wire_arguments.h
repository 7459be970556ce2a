// Arguments as MemPalace reads them, with the very texts of its errors.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "api/json.h"
#include "mcp/protocol.h"

namespace loci::mcp {

enum class WireType { text, integer, number, boolean, texts, object };
enum class WireNeed { optional, required };

struct WireParameter {
  std::string_view name;
  WireType type = WireType::text;
  WireNeed need = WireNeed::optional;
};

Json wire_schema(std::span<const WireParameter> parameters);

// The arguments of a call: numbers may come as texts, an empty text or null is the same as none, `wait_for_previous` is
// accepted and left out. Errors: invalid params, naming the parameter and the tool.
Reply check_arguments(std::string_view tool, std::span<const WireParameter> parameters, const Json& arguments);

}  // namespace loci::mcp
