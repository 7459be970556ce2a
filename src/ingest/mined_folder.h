// What was said of a folder when it was mined, so that the next run, of the whole or of a part, need not be told again:
// what has its place keeps it until somebody says otherwise. Kept in the palace as sources without records, whose names
// no file has.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loci/collection.h"
#include "loci/result.h"

namespace loci {

// What may be said of the files of a folder.
struct MineSettings {
  std::optional<std::string> wing = {};  // absent: what the project's configuration says, else its root's name
  std::optional<std::string> mode = {};  // of an importer
  std::optional<std::size_t> chunk_characters = {};

  bool is_empty() const { return !wing && !mode && !chunk_characters; }
  friend bool operator==(const MineSettings&, const MineSettings&) = default;
};

enum class MinedAs { project, part };  // part: its project is a folder above it

struct MinedFolder {
  std::string path;  // absolute; of a part it may be one file
  MinedAs as = MinedAs::project;
  MineSettings settings = {};
  std::string configured_wing = {};  // of a project: what its configuration said when it was mined last

  friend bool operator==(const MinedFolder&, const MinedFolder&) = default;
};

// The mined folders of a palace. For one thread.
class MinedFolders {
 public:
  // `drawers` is null for a palace that is not there yet. A note that cannot be read counts as none. Errors: those of
  // the store.
  static Result<MinedFolders> load(const Collection* drawers);

  // The nearest one at or above the path; null: there is none.
  const MinedFolder* nearest(const std::string& path) const;
  // By path.
  std::vector<MinedFolder> below(const std::string& path) const;

  // The root of the project that the path, a folder or file, belongs to: the nearest folder upwards that was mined as
  // one or has a configuration; else one with version control; else the folder itself. Version control below a folder
  // that was mined counts where `is_apart` says so. Errors: those of `is_apart`.
  Result<std::filesystem::path> find_project_root(
      const std::filesystem::path& start,
      const std::function<Result<bool>(const std::filesystem::path&)>& is_apart) const;

  // Writes the folder down, or over what is noted of it.
  void note(MinedFolder folder);
  // What is said of the path is said of all that is noted at or below it. Where it is a wing, projects below become
  // parts, but for those with a configuration.
  void say(const std::string& path, const MineSettings& settings);

  // Stores what was noted since it was loaded.
  Status store(Collection& drawers) const;

 private:
  std::map<std::string, MinedFolder> folders_;  // by path
  std::map<std::string, MinedFolder> stored_;   // as the palace has them
};

// Removes the notes of folders at or below the path that are gone from the disk and have no sources any more. Errors:
// those of the store.
Status forget_gone_folders(Collection& drawers, const std::string& path);

}  // namespace loci
