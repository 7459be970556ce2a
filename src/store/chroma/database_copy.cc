#include "store/chroma/database_copy.h"

#include <string>
#include <system_error>
#include <utility>

#include "store/chroma/metadata_tables.h"
#include "store/sqlite/vfs_file.h"

namespace loci::chroma {

Result<std::unique_ptr<Connection>> copy_database(const std::filesystem::path& folder,
                                                  const std::filesystem::path& target,
                                                  const IsCancelled& is_cancelled) {
  for (const char* suffix : {"", "-journal", "-wal"}) {
    const std::string name = std::string(kDatabaseName) + suffix;
    std::error_code ignored;
    if (!std::filesystem::exists(folder / name, ignored)) continue;
    TRY(sqlite::copy_database_file(folder / name, target / name, is_cancelled));
  }
  std::unique_ptr<Connection> connection = TRY(Connection::open(target / kDatabaseName, sqlite::OpenMode::read_write));
  TRY(connection->execute(kReadSettings));
  return connection;
}

Status mend_tables(Connection& connection) {
  if (TRY(connection.query_integer("SELECT count(*) FROM sqlite_master")) == 0) return {};
  sqlite::Transaction transaction = TRY(sqlite::Transaction::begin(connection, sqlite::Transaction::Kind::write));
  const SchemaVersions versions = TRY(read_versions(connection));
  TRY(catch_up_metadata_tables(connection, versions));
  return transaction.commit();
}

Result<std::unique_ptr<Connection>> copy_and_mend(const std::filesystem::path& folder,
                                                  const std::filesystem::path& target) {
  std::unique_ptr<Connection> connection = TRY(copy_database(folder, target));
  TRY(mend_tables(*connection));
  return connection;
}

}  // namespace loci::chroma
