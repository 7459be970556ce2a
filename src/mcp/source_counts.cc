#include "mcp/source_counts.h"

#include "mcp/protocol.h"

namespace loci::mcp {
namespace {

constexpr std::size_t kPageDrawers = 1'000;
constexpr std::size_t kMostDrawers = 50'000;

}  // namespace

Result<SourceCounts> count_sources(OperationRunner& runner, const Json& scope, Call& call) {
  SourceCounts counts;
  for (std::size_t offset = 0; !call.is_cancelled();) {
    Json fields = scope;
    fields["limit"] = kPageDrawers;
    fields["offset"] = offset;
    const Answer page = TRY(runner.run("list", std::move(fields), call, DrawerParts::plain));
    const Json& drawers = page.body.at("drawers");
    for (const Json& drawer : drawers) ++counts.drawers[{text_member(drawer, "source"), text_member(drawer, "wing")}];
    offset += drawers.size();
    const std::size_t total = page.body.at("total").get<std::size_t>();
    if (drawers.empty() || offset >= total) break;
    if (offset >= kMostDrawers) {
      counts.left_out = total - offset;
      break;
    }
  }
  return counts;
}

std::string base_name(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace loci::mcp
