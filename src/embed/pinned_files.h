// The checksums that the set-up keeps beside what it has fetched (.pins): they tell a flipped bit, which the formats of
// weights cannot.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "loci/result.h"

namespace loci {

// Each line of the folder's .pins ends with the path of a file in its package and the SHA-256 of it. Files that no line
// names pass, and so does everything in a folder without .pins. Errors: corruption, naming the file; io.
Status check_pinned_files(const std::filesystem::path& folder, std::span<const std::filesystem::path> files);

// In hexadecimal. Reads every byte. Errors: not_found, io.
Result<std::string> file_sha256(const std::filesystem::path& path);

}  // namespace loci
