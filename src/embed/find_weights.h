// Which file of a model's folder holds its weights.
#pragma once

#include <filesystem>

#include "loci/result.h"

namespace loci {

// Errors: not_found, listing the names that are looked for.
Result<std::filesystem::path> find_weights(const std::filesystem::path& folder);

}  // namespace loci
