#include "store/embedded/new_palace.h"

#include <cerrno>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "store/embedded/database.h"
#include "store/embedded/file_header.h"
#include "store/embedded/sqlite.h"
#include "store/palace_files.h"

namespace loci::embedded {
namespace {

Status sync_file(const std::filesystem::path& file) {
  const FileDescriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened.is_open() || ::fsync(opened.get()) != 0) return io_error("cannot sync", file, errno);
  return {};
}

// SQLite says nothing when the last connection that closes cannot move the log into the database.
Status empty_log(const std::filesystem::path& database) {
  std::error_code ignored;
  if (!std::filesystem::exists(database.native() + "-wal", ignored)) return {};
  const std::unique_ptr<Connection> connection = TRY(open_connection(database, OpenMode::read_write));
  Statement checkpoint = TRY(connection->prepare("PRAGMA wal_checkpoint(TRUNCATE)"));
  const bool is_emptied = TRY(checkpoint.step()) && checkpoint.integer(0) == 0;
  if (!is_emptied) return Error{ErrorKind::busy, database.string() + " is in use; try again"};
  return {};
}

}  // namespace

Status publish_database(const std::filesystem::path& prepared, const std::filesystem::path& file) {
  TRY(empty_log(prepared));
  return publish_file(prepared, file);
}

Status publish_file(const std::filesystem::path& prepared, const std::filesystem::path& file) {
  TRY(sync_file(prepared));
  if (::link(prepared.c_str(), file.c_str()) != 0) {
    if (errno == EEXIST)
      return Error{ErrorKind::already_exists, file.string() + " exists already; choose another name"};
    return io_error("cannot create", file, errno);
  }
  Status synced = sync_folder(file.has_parent_path() ? file.parent_path() : ".");
  if (!synced.ok()) ::unlink(file.c_str());
  return synced;
}

Result<NewPalace> NewPalace::prepare_in(const std::filesystem::path& folder) {
  if (std::filesystem::exists(folder / kDatabaseName)) {
    return Error{ErrorKind::already_exists,
                 "there is a palace in " + folder.string() + "; choose another folder, or move it aside"};
  }
  TRY(check_no_stray_log(folder / kDatabaseName));
  NewPalace palace(folder);
  std::error_code ignored;
  for (std::filesystem::path each = folder; !each.empty() && !std::filesystem::exists(each, ignored);
       each = each.parent_path())
    palace.made_folders_.push_back(each);
  TRY(make_private_folder(folder));
  palace.aside_.emplace(TRY(AsideFolder::create_in(folder)));
  return palace;
}

NewPalace::~NewPalace() {
  aside_.reset();
  std::error_code ignored;
  for (const std::filesystem::path& folder : made_folders_) std::filesystem::remove(folder, ignored);  // if it is empty
}

Status NewPalace::publish() {
  const std::filesystem::path settings = folder_ / kPalaceConfigurationName;
  const bool brings_settings =
      std::filesystem::exists(aside() / kPalaceConfigurationName) && !std::filesystem::exists(settings);
  if (brings_settings) TRY(publish_file(aside() / kPalaceConfigurationName, settings));
  const Status published = publish_database(aside() / kDatabaseName, folder_ / kDatabaseName);
  if (!published.ok() && brings_settings) ::unlink(settings.c_str());
  if (published.ok()) made_folders_.clear();
  return published;
}

}  // namespace loci::embedded
