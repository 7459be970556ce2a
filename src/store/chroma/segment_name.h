// How the folders of indexes, and their renamed copies, are called.
#pragma once

#include <ctime>
#include <optional>
#include <string>
#include <string_view>

namespace loci::chroma {

// Does a name look like that of an index folder: 8-4-4-4-12 hexadecimal digits?
bool is_segment_name(std::string_view name);

// The part of the name before .drift-, .corrupt- or .quarantine-; nothing for one that was not renamed so.
std::optional<std::string_view> segment_of_copy(std::string_view name);

// When it was renamed, YYYYMMDD-HHMMSS and perhaps a number; nothing where its name does not say.
std::optional<std::string_view> time_of_copy(std::string_view name);

// A moment as the names of copies tell it: local time.
std::string copy_time(std::time_t seconds);

}  // namespace loci::chroma
