// What a palace holds, in numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "loci/collection.h"
#include "loci/result.h"

namespace loci {

struct RoomCount {
  std::optional<std::string> room;  // absent: drawers without one
  std::size_t drawers = 0;
};
struct WingCount {
  std::optional<std::string> wing;  // absent: drawers without one
  std::size_t drawers = 0;
  std::vector<RoomCount> rooms;  // ordered by name
};

// The wings, ordered by name, with their rooms.
Result<std::vector<WingCount>> count_wings(const Collection& drawers);

}  // namespace loci
