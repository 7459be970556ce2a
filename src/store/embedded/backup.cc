#include "store/embedded/backup.h"

#include <optional>
#include <string>
#include <string_view>

#include "base/aside_folder.h"
#include "base/file.h"
#include "store/embedded/file_header.h"
#include "store/embedded/new_palace.h"
#include "store/embedded/verify.h"
#include "store/palace_files.h"
#include "store/sqlite/cancellation.h"
#include "store/sqlite/vfs_file.h"

namespace loci::embedded {
namespace {

// Where a backup keeps the palace's settings: a row of its table `palace`.
constexpr std::string_view kConfigurationKey = "configuration";

// The settings go with the backup as they stand in their file. The files of the vector index do not: they are made
// again from the rows.
Status complete_backup(const std::filesystem::path& copy, const std::filesystem::path& palace) {
  const std::unique_ptr<Connection> connection = TRY(open_connection(copy, OpenMode::read_write));
  TRY(connection->execute("DELETE FROM segments"));
  const Result<std::string> settings = read_file(palace / kPalaceConfigurationName);
  if (!settings.ok()) return settings.error().kind == ErrorKind::not_found ? Status() : Status(settings.error());
  Statement insert = TRY(connection->prepare("INSERT INTO palace(key, value) VALUES (?1, ?2)"));
  return insert.bind(1, kConfigurationKey).bind(2, *settings).run();
}

// Makes a file of the settings in the backup, if it has any.
Status take_out_settings(const std::filesystem::path& folder) {
  std::optional<std::string> settings;
  {
    const std::unique_ptr<Connection> connection = TRY(open_connection(folder / kDatabaseName, OpenMode::read_write));
    Statement take = TRY(connection->prepare("DELETE FROM palace WHERE key = ?1 RETURNING value"));
    take.bind(1, kConfigurationKey);
    if (TRY(take.step())) settings = std::string(take.text(0));
    TRY(take.run());
  }
  return settings ? write_file_atomically(folder / kPalaceConfigurationName, *settings) : Status();
}

// The copy in `folder` as a palace of its own: is all of it there and sound?
Result<BackupReport> examine(const std::filesystem::path& folder, const IsCancelled& is_cancelled) {
  Result<std::shared_ptr<Database>> copy = Database::open(folder, Access::read_only, IfMissing::fail);
  // A backup that an older program made is examined as it will be once it is opened.
  if (!copy.ok() && copy.error().kind == ErrorKind::version_mismatch) copy = Database::open_damaged(folder);
  if (!copy.ok()) return copy.error();
  const VerifyReport report = TRY(verify_palace(**copy, VerifyDepth::deep, is_cancelled));
  if (!report.findings.empty()) {
    return Error{ErrorKind::corruption, "the copy is not sound: " + report.findings.front().detail};
  }
  return BackupReport{report.records, std::filesystem::file_size(folder / kDatabaseName)};
}

std::filesystem::path parent_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : ".";
}

}  // namespace

Result<BackupReport> backup_palace(Database& database, const std::filesystem::path& file,
                                   const IsCancelled& is_cancelled) {
  if (std::filesystem::exists(file))
    return Error{ErrorKind::already_exists, file.string() + " exists already; choose another name"};
  const AsideFolder aside = TRY(AsideFolder::create_in(parent_of(file)));
  const std::filesystem::path copy = aside.path() / kDatabaseName;
  const Status copied = database.run([&](Connection& connection) -> Status {
    const sqlite::CancellableStatements cancellable(connection, is_cancelled);
    Statement vacuum = TRY(connection.prepare("VACUUM INTO ?1"));
    return vacuum.bind(1, copy.native()).run();
  });
  TRY(sqlite::check_wanted(is_cancelled));
  // SQLite names the palace, also where it was the copy that could not be written.
  if (!copied.ok())
    return Error{copied.error().kind, "cannot copy the palace to " + file.string() + ": " + copied.error().message};
  TRY(complete_backup(copy, database.folder()));
  const BackupReport report = TRY(examine(aside.path(), is_cancelled));
  TRY(publish_database(copy, file));
  return report;
}

Result<BackupReport> restore_palace(const std::filesystem::path& file, const std::filesystem::path& folder,
                                    const IsCancelled& is_cancelled) {
  const HeaderState header = TRY(read_file_header(file));
  if (header == HeaderState::missing) return Error{ErrorKind::not_found, "there is no file " + file.string()};
  if (header == HeaderState::empty || header == HeaderState::unfinished)
    return Error{ErrorKind::corruption, file.string() + " is empty; choose another backup"};
  TRY(check_header(header, file));
  NewPalace palace = TRY(NewPalace::prepare_in(folder));
  TRY(sqlite::copy_database_file(file, palace.aside() / kDatabaseName, is_cancelled));
  const BackupReport report = TRY(examine(palace.aside(), is_cancelled));
  TRY(take_out_settings(palace.aside()));
  TRY(palace.publish());
  return report;
}

}  // namespace loci::embedded
