#include <string>

#include "store/embedded/maintenance_kinds.h"

namespace loci::embedded {
namespace {

// Rows that are looked at for each index.
constexpr std::string_view kSample = "PRAGMA analysis_limit = 1000";

// What the statistics depend on. Deleting a collection takes rows and no number of the counter.
struct Generation {
  std::int64_t seq = 0;
  std::int64_t rows = 0;
  friend bool operator==(const Generation&, const Generation&) = default;
};

Result<Generation> current_generation(Connection& connection) {
  return Generation{TRY(connection.query_integer("SELECT value FROM palace WHERE key = 'seq'")),
                    TRY(connection.query_integer("SELECT count(*) FROM records"))};
}

// Zeros before the first time.
Result<Generation> analyzed_generation(Connection& connection) {
  return Generation{
      TRY(connection.query_integer("SELECT ifnull((SELECT value FROM palace WHERE key = 'analyzed_seq'), 0)")),
      TRY(connection.query_integer("SELECT ifnull((SELECT value FROM palace WHERE key = 'analyzed_rows'), 0)"))};
}

Status note(Connection& connection, std::string_view key, std::int64_t value) {
  Statement upsert =
      TRY(connection.prepare("INSERT INTO palace(key, value) VALUES (?1, ?2) "
                             "ON CONFLICT(key) DO UPDATE SET value = excluded.value"));
  return upsert.bind(1, key).bind(2, value).run();
}

}  // namespace

Result<MaintenanceStatus> analyze(Database& database, Metadata& stats) {
  return database.write([&](Connection& connection) -> Result<MaintenanceStatus> {
    const Generation now = TRY(current_generation(connection));
    stats["rows"] = now.rows;
    if (now == TRY(analyzed_generation(connection))) return MaintenanceStatus::noop;
    TRY(connection.execute(kSample));
    TRY(connection.execute("ANALYZE"));
    TRY(note(connection, "analyzed_seq", now.seq));
    TRY(note(connection, "analyzed_rows", now.rows));
    stats["statistics"] = TRY(connection.query_integer("SELECT count(*) FROM sqlite_stat1"));
    return MaintenanceStatus::ran;
  });
}

}  // namespace loci::embedded
