#include "store/embedded/sqlite.h"

#include "store/embedded/sql_functions.h"

namespace loci::embedded {

Result<std::unique_ptr<Connection>> open_connection(const std::filesystem::path& file, OpenMode mode) {
  std::unique_ptr<Connection> connection = TRY(Connection::open(file, mode));
  if (const int failed = register_sql_functions(connection->handle()); failed != SQLITE_OK)
    return connection->error(failed, "cannot set up");
  return connection;
}

}  // namespace loci::embedded
