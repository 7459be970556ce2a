// Which other program has a file of a folder open, as far as the system lets us see.
#pragma once

#include <filesystem>
#include <optional>

#include <sys/types.h>

namespace loci {

struct OpenFile {
  pid_t process = 0;
  std::filesystem::path path;
};

// A file below the folder that a process of another program has open; nothing when there is none, or none that we may
// look at.
std::optional<OpenFile> file_opened_by_others(const std::filesystem::path& folder);

}  // namespace loci
