#include "mcp/shape.h"

#include <string>

#include "mcp/protocol.h"

namespace loci::mcp {
namespace {

// The lists of tools and prompts are the same for everybody and change only with the program.
constexpr int kFixedListMs = 300'000;

bool is_fixed_list(std::string_view method) {
  return method == "server/discover" || method == "tools/list" || method == "prompts/list" ||
         method == "resources/templates/list";
}

}  // namespace

Json identity_json(const Identity& identity) {
  Json json = {{"name", identity.name}, {"version", identity.version}};
  if (!identity.title.empty()) json["title"] = identity.title;
  return json;
}

void shape_modern_result(Json& result, std::string_view method, const Json& server_info) {
  if (!result.contains("resultType")) result["resultType"] = "complete";
  if (!server_info.is_null()) result["_meta"][std::string(kServerInfoKey)] = server_info;
  const bool is_palace_content = method == "resources/list" || method == "resources/read";
  if (!is_fixed_list(method) && !is_palace_content) return;
  if (result["resultType"] != "complete") return;
  if (!result.contains("ttlMs")) result["ttlMs"] = is_palace_content ? 0 : kFixedListMs;
  if (!result.contains("cacheScope")) result["cacheScope"] = is_palace_content ? "private" : "public";
}

void shape_legacy_result(Json& result, std::string_view version) {
  if (version >= "2025-06-18") return;
  result.erase("structuredContent");
  for (const char* list : {"tools", "prompts", "resources", "resourceTemplates"}) {
    if (!result.contains(list)) continue;
    for (Json& entry : result[list]) {
      entry.erase("title");
      entry.erase("outputSchema");
      if (version < "2025-03-26") entry.erase("annotations");
    }
  }
  if (result.contains("serverInfo")) result["serverInfo"].erase("title");
}

}  // namespace loci::mcp
