// What is there of the files that sources were made of. A file that is gone was deleted, or its disk is not there.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace loci {

enum class OnDisk { there, gone, unknown };  // unknown: nobody may look, or the disk does not answer

OnDisk look_for(const std::string& path);

// Finds the folders whose loss takes many files at once, and which may therefore be disks that are not mounted. What
// was seen is remembered, so that many files of one folder cost one look. For one thread.
class MissingFolders {
 public:
  // Of the root and the folders between it and the file, the topmost that is missing, empty or cannot be listed.
  // Nothing: the file's own folder is there, with other files in it. The file is at or below the root.
  std::optional<std::string> topmost(const std::string& root, const std::string& file);

 private:
  bool is_in_use(const std::string& folder);

  std::map<std::string, bool> is_in_use_;  // by folder
};

}  // namespace loci
