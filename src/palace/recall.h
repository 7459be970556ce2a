// The newest drawers, without a question: what was filed last, in a time, a place or from a source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "loci/collection.h"
#include "loci/result.h"
#include "palace/drawer.h"
#include "palace/place.h"

namespace loci {

struct RecallRequest {
  Scope scope = {};
  std::optional<std::int64_t> since_unix_ms = {};
  std::optional<std::int64_t> until_unix_ms = {};  // exclusive
  std::optional<std::string> source = {};          // a part of the source's name
  std::size_t limit = 10;
  std::size_t offset = 0;  // leave out so many of the newest
};
// The drawers filed last come first; `total` counts all that the request is about.
Result<DrawerList> recall_drawers(const Collection& drawers, const RecallRequest& request);

}  // namespace loci
