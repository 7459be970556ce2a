// Where a collection of Chroma's says which model made its vectors: in a folder and on a server alike.
#pragma once

#include <string_view>

namespace loci::chroma {

inline constexpr std::string_view kModelKey = "loci:model";  // in a collection's metadata

}  // namespace loci::chroma
