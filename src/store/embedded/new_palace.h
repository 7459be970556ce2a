// A palace that appears whole or not at all: it is prepared aside in its folder and gets its name at the end.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "base/aside_folder.h"
#include "loci/result.h"

namespace loci::embedded {

// Gives the file its name unless there is one of that name; what a crash leaves is the whole file or none.
// Errors: already_exists, io.
Status publish_file(const std::filesystem::path& prepared, const std::filesystem::path& file);

// The same for a database that nobody has open: what a close that failed left in its log is moved into it first, for
// the log does not come along.
Status publish_database(const std::filesystem::path& prepared, const std::filesystem::path& file);

class NewPalace {
 public:
  // Makes the folder if it is missing. Errors: already_exists when there is a palace in it, or the log of one; io.
  static Result<NewPalace> prepare_in(const std::filesystem::path& folder);
  NewPalace(NewPalace&&) = default;
  NewPalace& operator=(NewPalace&&) = delete;
  // Unless it was published nothing stays, and no folder that was made for it.
  ~NewPalace();

  // A folder to make the palace in. Let go of its files before publish().
  const std::filesystem::path& aside() const { return aside_->path(); }

  // Publishes the database, and before it the settings if there are any; settings that are in the folder stay.
  Status publish();

 private:
  explicit NewPalace(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path folder_;
  std::vector<std::filesystem::path> made_folders_;  // innermost first
  std::optional<AsideFolder> aside_;
};

}  // namespace loci::embedded
