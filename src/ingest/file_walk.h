// Finds the files of a folder tree that are worth keeping, and says of all others why they are passed over. Symbolic
// links are never followed, so there are no loops and no way out of the folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/file_stamp.h"
#include "ingest/ignore_pattern.h"
#include "ingest/skip_rules.h"
#include "loci/result.h"

namespace loci {

struct FoundFile {
  std::string path;  // absolute
  FileStamp stamp;
  bool is_asked_for = false;  // by its name or by `include`, so that it is taken whatever the rules say
};

struct PassedOver {
  PassReason reason = PassReason::ignored;
  std::string path;    // for people: valid UTF-8
  std::string detail;  // what the system said, where it said something
};

// Larger files are taken when somebody asks for it.
inline constexpr std::uint64_t kUsualFileBytes = 10'000'000;

struct WalkRequest {
  std::filesystem::path start;  // absolute and resolved; a folder, or one file, which is taken whatever the rules say
  std::filesystem::path project_root;  // `start` or a folder above it, from which on ignore files count
  std::vector<IgnorePattern> include;  // taken though a rule says otherwise; relative to `include_root`.
                                       // Of version control and our own stores nothing is taken all the same
  std::filesystem::path include_root;  // the project's root, or a folder above it
  std::vector<IgnorePattern> exclude;  // by the project's configuration
  std::uint64_t max_file_bytes = 0;
  std::vector<std::string> apart;  // files and folders that are walked by themselves, not by this walk; in order
};

struct WalkVisitor {
  std::function<void(FoundFile)> found;
  std::function<void(PassedOver)> passed_over;
  std::function<void(std::size_t)> matched;  // the pattern of `include` with this number matched something
  std::function<bool()> is_cancelled;
};

// Does the file say which others are ignored? When it was passed over, nobody knows what of its folder is to be taken.
bool is_ignore_file(std::string_view name);

// In the order of names. Errors: not_found, or io when not even `start` can be read; unavailable when cancelled.
Status walk_files(const WalkRequest& request, const WalkVisitor& visitor);

}  // namespace loci
