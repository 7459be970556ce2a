// The sources that a palace has of files at a place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loci/collection.h"
#include "loci/result.h"
#include "loci/source.h"

namespace loci {

// Is the path, which has no slash at its end, in the folder, at any depth?
bool is_below(std::string_view path, std::string_view folder);

// Those of the file that `path` is, or of the files below it. Errors: those of the store.
Result<std::vector<SourceInfo>> known_sources(const Collection& drawers, const std::string& path);

}  // namespace loci
