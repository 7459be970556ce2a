// What a process keeps of the vector index of one palace.
#pragma once

#include <filesystem>

#include "loci/backend.h"
#include "store/embedded/filter_cache.h"
#include "store/embedded/index_options.h"
#include "store/embedded/segment_cache.h"
#include "store/embedded/tail_cache.h"

namespace loci::embedded {

// Many threads may use it at once.
struct IndexContext {
  IndexContext(const std::filesystem::path& palace, Access access, const IndexOptions& given)
      : options(given), segments(palace, access) {}

  const IndexOptions options;
  SegmentCache segments;
  FilterCache filters;
  TailCache tails;
};

}  // namespace loci::embedded
