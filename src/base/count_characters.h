// How long a text is for people. Pure; any thread may call it.
#pragma once

#include <cstddef>
#include <string_view>

namespace loci {

// Characters as people count them in a text: code points. The text must be valid UTF-8.
std::size_t count_characters(std::string_view text);

}  // namespace loci
