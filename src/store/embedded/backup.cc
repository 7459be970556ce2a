#include "store/embedded/backup.h"

#include <cerrno>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "base/aside_folder.h"
#include "base/file.h"
#include "store/embedded/file_header.h"
#include "store/embedded/verify.h"
#include "store/sqlite/vfs_file.h"

namespace loci::embedded {
namespace {

Status sync_file(const std::filesystem::path& file) {
  const FileDescriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened.is_open() || ::fsync(opened.get()) != 0) return io_error("cannot sync", file, errno);
  return {};
}

// Gives the file its name unless there is one of that name; what a crash leaves is the whole file or none.
Status publish(const std::filesystem::path& prepared, const std::filesystem::path& file) {
  TRY(sync_file(prepared));
  if (::link(prepared.c_str(), file.c_str()) != 0) {
    if (errno == EEXIST)
      return Error{ErrorKind::already_exists, file.string() + " exists already; choose another name"};
    return io_error("cannot create", file, errno);
  }
  return sync_folder(file.has_parent_path() ? file.parent_path() : ".");
}

// The copy in `folder` as a palace of its own: is all of it there and sound?
Result<BackupReport> examine(const std::filesystem::path& folder) {
  const std::shared_ptr<Database> copy = TRY(Database::open(folder, Access::read_only, IfMissing::fail));
  const VerifyReport report = TRY(verify_palace(*copy, VerifyDepth::deep));
  if (!report.findings.empty()) {
    return Error{ErrorKind::corruption, "the copy is not sound: " + report.findings.front().detail};
  }
  return BackupReport{report.records, std::filesystem::file_size(folder / kDatabaseName)};
}

std::filesystem::path parent_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : ".";
}

}  // namespace

Result<BackupReport> backup_palace(Database& database, const std::filesystem::path& file) {
  if (std::filesystem::exists(file))
    return Error{ErrorKind::already_exists, file.string() + " exists already; choose another name"};
  const AsideFolder aside = TRY(AsideFolder::create_in(parent_of(file)));
  const std::filesystem::path copy = aside.path() / kDatabaseName;
  TRY(database.run([&](Connection& connection) -> Status {
    Statement vacuum = TRY(connection.prepare("VACUUM INTO ?1"));
    return vacuum.bind(1, copy.native()).run();
  }));
  // The files of the vector index are not copied: they are made again from the rows.
  TRY(TRY(open_connection(copy, OpenMode::read_write))->execute("DELETE FROM segments"));
  const BackupReport report = TRY(examine(aside.path()));
  TRY(publish(copy, file));
  return report;
}

Result<BackupReport> restore_palace(const std::filesystem::path& file, const std::filesystem::path& folder) {
  const HeaderState header = TRY(read_file_header(file));
  if (header == HeaderState::missing) return Error{ErrorKind::not_found, "there is no file " + file.string()};
  if (header == HeaderState::empty || header == HeaderState::unfinished)
    return Error{ErrorKind::corruption, file.string() + " is empty; choose another backup"};
  TRY(check_header(header, file));
  if (std::filesystem::exists(folder / kDatabaseName)) {
    return Error{ErrorKind::already_exists,
                 "there is a palace in " + folder.string() + "; choose another --palace, or move it aside"};
  }
  TRY(check_no_stray_log(folder / kDatabaseName));
  TRY(make_private_folder(folder));
  const AsideFolder aside = TRY(AsideFolder::create_in(folder));
  const std::filesystem::path copy = aside.path() / kDatabaseName;
  TRY(sqlite::copy_database_file(file, copy));
  const BackupReport report = TRY(examine(aside.path()));
  TRY(publish(copy, folder / kDatabaseName));
  return report;
}

}  // namespace loci::embedded
