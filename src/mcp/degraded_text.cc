#include "mcp/degraded_text.h"

#include "mcp/protocol.h"

namespace loci::mcp {

std::string degraded_text(const Json& body) {
  std::string text;
  if (const Json* degraded = member(body, "degraded"); degraded != nullptr) {
    for (const Json& part : *degraded) text += "\nNot complete: " + text_member(part, "reason");
  }
  return text;
}

}  // namespace loci::mcp
