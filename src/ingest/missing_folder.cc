#include "ingest/missing_folder.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <sys/stat.h>

namespace loci {

OnDisk look_for(const std::string& path) {
  struct stat status = {};
  if (::lstat(path.c_str(), &status) == 0) return OnDisk::there;
  return errno == ENOENT || errno == ENOTDIR ? OnDisk::gone : OnDisk::unknown;
}

std::optional<std::string> MissingFolders::topmost(const std::string& root, const std::string& file) {
  if (!is_in_use(root)) return root;
  for (std::size_t end = file.find('/', root.size() + 1); end != std::string::npos; end = file.find('/', end + 1)) {
    std::string folder = file.substr(0, end);
    if (!is_in_use(folder)) return folder;
  }
  return std::nullopt;
}

bool MissingFolders::is_in_use(const std::string& folder) {
  if (const auto known = is_in_use_.find(folder); known != is_in_use_.end()) return known->second;
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(folder, error);
  // A root may be one file.
  const bool is_used =
      is_folder ? !std::filesystem::is_empty(folder, error) && !error : std::filesystem::exists(folder, error);
  is_in_use_.emplace(folder, is_used);
  return is_used;
}

}  // namespace loci
