// JSON as Chroma speaks and stores it.
#pragma once

#include <nlohmann/json.hpp>

namespace loci::chroma {

using Json = nlohmann::json;

}  // namespace loci::chroma
