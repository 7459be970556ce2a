#include "store/embedded/sqlite.h"

#include "store/embedded/sql_functions.h"

namespace loci::embedded {

Result<std::unique_ptr<Connection>> open_connection(const std::filesystem::path& file, OpenMode mode, Damage damage) {
  std::unique_ptr<Connection> connection = TRY(Connection::open(file, mode));
  if (damage == Damage::tolerated) {
    // SQLite's own way of saying that a file shorter than its header says, or a schema with gaps, is still wanted.
    sqlite3_db_config(connection->handle(), SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
    TRY(connection->execute("PRAGMA writable_schema = ON"));
  }
  if (const int failed = register_sql_functions(connection->handle()); failed != SQLITE_OK)
    return connection->error(failed, "cannot set up");
  return connection;
}

}  // namespace loci::embedded
