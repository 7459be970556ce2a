#include "palace/overview.h"

#include "palace/place.h"

namespace loci {

Result<std::vector<WingCount>> count_wings(const Collection& drawers) {
  const std::vector<std::string> keys = {std::string(kWingKey), std::string(kRoomKey)};
  std::vector<WingCount> wings;
  for (const GroupCount& group : TRY(drawers.count_by(keys))) {
    if (wings.empty() || wings.back().wing != group.values[0]) wings.push_back({.wing = group.values[0], .rooms = {}});
    wings.back().drawers += group.count;
    wings.back().rooms.push_back({.room = group.values[1], .drawers = group.count});
  }
  return wings;
}

}  // namespace loci
