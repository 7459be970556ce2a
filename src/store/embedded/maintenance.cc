#include "store/embedded/maintenance.h"

#include <filesystem>

#include "store/embedded/catalog.h"

namespace loci::embedded {
namespace {

std::int64_t size_of(const std::filesystem::path& file) {
  std::error_code failure;
  const std::uintmax_t size = std::filesystem::file_size(file, failure);
  return failure ? 0 : static_cast<std::int64_t>(size);
}

}  // namespace

Result<Metadata> read_maintenance_state(Database& database) {
  return database.read([&](Connection& connection) -> Result<Metadata> {
    Metadata state;
    state["sqlite_version"] = sqlite_version();
    state["schema_version"] = TRY(connection.query_integer("PRAGMA user_version"));
    state["tokenizer_version"] =
        TRY(connection.query_integer("SELECT value FROM palace WHERE key = 'tokenizer_version'"));
    state["palace_id"] = TRY(connection.query_text("SELECT value FROM palace WHERE key = 'palace_id'"));
    state["seq"] = TRY(connection.query_integer("SELECT value FROM palace WHERE key = 'seq'"));
    state["journal_mode"] = TRY(connection.query_text("PRAGMA journal_mode"));
    state["rows"] = TRY(connection.query_integer("SELECT count(*) FROM records"));
    state["pending"] = TRY(connection.query_integer("SELECT count(*) FROM records WHERE embedded = 0"));
    state["deletions"] = TRY(connection.query_integer("SELECT count(*) FROM deletions"));
    state["free_pages"] = TRY(connection.query_integer("PRAGMA freelist_count"));
    state["database_bytes"] = size_of(database.folder() / kDatabaseName);
    state["wal_bytes"] = size_of(database.folder() / (std::string(kDatabaseName) + "-wal"));
    state["vector_index"] = "exact scan";
    return state;
  });
}

}  // namespace loci::embedded
