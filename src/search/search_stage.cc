#include "search/search_stage.h"

#include <algorithm>

namespace loci {

std::optional<SearchStage> parse_search_stage(std::string_view name) {
  const auto found = std::find(kSearchStages.begin(), kSearchStages.end(), name);
  if (found == kSearchStages.end()) return std::nullopt;
  return static_cast<SearchStage>(found - kSearchStages.begin());
}

}  // namespace loci
