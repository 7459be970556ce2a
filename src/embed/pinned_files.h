// The checksums that the set-up keeps beside what it has fetched (.pins): they tell a flipped bit, which the formats of
// weights cannot.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "loci/result.h"

namespace loci {

// A file, and a SHA-256 that it may have.
struct FilePin {
  std::string_view file;
  std::string_view sha256;
};

// A file that `known` names must have one of the checksums that stand there for it. Besides, each line of the folder's
// .pins ends with the path of a file in its package and the SHA-256 of it. Files that are named nowhere pass. Errors:
// corruption, naming the file; io.
Status check_pinned_files(const std::filesystem::path& folder, std::span<const std::filesystem::path> files,
                          std::span<const FilePin> known);

// In hexadecimal. Reads every byte. Errors: not_found, io.
Result<std::string> file_sha256(const std::filesystem::path& path);

}  // namespace loci
