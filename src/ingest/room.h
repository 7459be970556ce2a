// Which room a file belongs to, as a person would file it: by the project's own rules, else by the folder it is in, its
// name, and in the end by what it talks about. Pure; any thread may call it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ingest/project_config.h"

namespace loci {

// `path` is relative to the project's root. Never empty.
std::string room_for(std::string_view path, std::string_view text, const std::vector<RoomRule>& rules);

}  // namespace loci
