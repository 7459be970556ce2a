// How the folders of indexes, and their renamed copies, are called.
#pragma once

#include <optional>
#include <string_view>

namespace loci::chroma {

// Does a name look like that of an index folder: 8-4-4-4-12 hexadecimal digits?
bool is_segment_name(std::string_view name);

// The part of the name before .drift-, .corrupt- or .quarantine-; nothing for one that was not renamed so.
std::optional<std::string_view> segment_of_copy(std::string_view name);

}  // namespace loci::chroma
