// Vectors that no record can be given, written to a file of their own.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

#include "loci/result.h"
#include "loci/upkeep.h"
#include "store/chroma/segment_folder.h"

namespace loci::chroma {

// One line of JSON for each vector of the index that `is_wanted`: {"id", "label", "slot", "vector"}. Without a label
// for its slot, it has no id and is asked for with a null pointer; slots that are marked as deleted are none then.
// Without any line there is no file. Says how many there are. Errors: io; unavailable when it is cancelled.
Result<std::size_t> export_vectors(const SegmentFolder& index, const std::filesystem::path& file,
                                   const std::function<bool(const std::string* id)>& is_wanted,
                                   const IsCancelled& is_cancelled);

}  // namespace loci::chroma
