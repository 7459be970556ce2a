#include "store/embedded/maintenance.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "base/clock.h"
#include "store/contract.h"
#include "store/embedded/catalog.h"
#include "store/embedded/index_context.h"
#include "store/embedded/index_state.h"
#include "store/embedded/maintenance_kinds.h"
#include "store/embedded/maintenance_lease.h"

namespace loci::embedded {
namespace {

struct Kind {
  std::string_view name;
  Result<MaintenanceStatus> (*run)(Database&, Metadata&);
};
constexpr Kind kKinds[] = {{"analyze", analyze}, {"compact", compact}, {"reindex", reindex}};

std::int64_t size_of(const std::filesystem::path& file) {
  std::error_code failure;
  const std::uintmax_t size = std::filesystem::file_size(file, failure);
  return failure ? 0 : static_cast<std::int64_t>(size);
}

std::int64_t database_bytes(const Database& database) { return size_of(database.folder() / kDatabaseName); }
std::int64_t log_bytes(const Database& database) {
  return size_of(database.folder() / (std::string(kDatabaseName) + "-wal"));
}

void describe(const RunningMaintenance& running, Metadata& into) {
  into["running"] = running.kind;
  into["running_process"] = running.process;
  into["running_since"] = running.since == 0 ? "" : to_iso8601(running.since);
}

Status describe_index(Connection& connection, IndexContext& index, Metadata& into) {
  const IndexState state = TRY(index_state(connection, index));
  const auto number = [](std::size_t value) { return static_cast<std::int64_t>(value); };
  into["vector_index"] = state.segments == 0 ? "exact scan" : !state.problems.empty() ? "unusable" : "segments";
  into["vector_segments"] = number(state.segments);
  into["vector_rows"] = number(state.rows);
  into["vector_tail"] = number(state.tail);
  into["vector_dead"] = number(state.dead);
  into["vector_lists"] = number(state.lists);
  into["vector_bytes"] = number(state.size_bytes);
  into["vector_due"] = state.is_due;
  if (state.rows > 0 && state.size_bytes > 0) {
    into["vector_bytes_per_row"] = static_cast<double>(state.size_bytes) / static_cast<double>(state.rows);
    into["vector_recall"] = state.recall;
  }
  if (!state.problems.empty()) into["vector_problems"] = state.problems;
  return {};
}

Result<MaintenanceReport> run_with_lease(Database& database, const Kind& kind) {
  const auto start = std::chrono::steady_clock::now();
  MaintenanceReport report{.kind = std::string(kind.name), .status = {}, .stats = {}};
  const std::int64_t before = database_bytes(database) + log_bytes(database);
  report.status = TRY(kind.run(database, report.stats));
  report.stats["bytes_before"] = before;
  report.stats["bytes_after"] = database_bytes(database) + log_bytes(database);
  report.stats["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace

std::set<std::string, std::less<>> maintenance_kinds() {
  std::set<std::string, std::less<>> names;
  for (const Kind& kind : kKinds) names.emplace(kind.name);
  return names;
}

Result<MaintenanceReport> run_maintenance(Database& database, std::string_view kind) {
  const auto* found = std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind& k) { return k.name == kind; });
  if (found == std::end(kKinds)) {
    return Error{ErrorKind::unsupported_maintenance_kind,
                 "the backend loci has no maintenance of the kind " + in_quotes(kind)};
  }
  if (database.access() == Access::read_only) return database.read_only_error();
  const std::optional<MaintenanceLease> lease = TRY(MaintenanceLease::take(database.folder(), kind));
  if (lease) return run_with_lease(database, *found);
  MaintenanceReport report{.kind = std::string(kind), .status = MaintenanceStatus::already_running, .stats = {}};
  // It may have ended just now; then there is nobody to name.
  if (const auto running = TRY(running_maintenance(database.folder()))) describe(*running, report.stats);
  return report;
}

Result<Metadata> read_maintenance_state(Database& database) {
  return database.read([&](Connection& connection) -> Result<Metadata> {
    Metadata state;
    state["sqlite_version"] = sqlite::sqlite_version();
    state["schema_version"] = TRY(connection.query_integer("PRAGMA user_version"));
    state["tokenizer_version"] =
        TRY(connection.query_integer("SELECT value FROM palace WHERE key = 'tokenizer_version'"));
    state["palace_id"] = TRY(connection.query_text("SELECT value FROM palace WHERE key = 'palace_id'"));
    state["seq"] = TRY(connection.query_integer("SELECT value FROM palace WHERE key = 'seq'"));
    state["analyzed_seq"] =
        TRY(connection.query_integer("SELECT ifnull((SELECT value FROM palace WHERE key = 'analyzed_seq'), 0)"));
    state["journal_mode"] = TRY(connection.query_text("PRAGMA journal_mode"));
    state["rows"] = TRY(connection.query_integer("SELECT count(*) FROM records"));
    state["pending"] = TRY(connection.query_integer("SELECT count(*) FROM records WHERE embedded = 0"));
    state["missing"] = TRY(connection.query_integer("SELECT count(*) FROM records WHERE embedded = 2"));
    state["deletions"] = TRY(connection.query_integer("SELECT count(*) FROM deletions"));
    state["pages"] = TRY(connection.query_integer("PRAGMA page_count"));
    state["free_pages"] = TRY(connection.query_integer("PRAGMA freelist_count"));
    state["database_bytes"] = database_bytes(database);
    state["wal_bytes"] = log_bytes(database);
    TRY(describe_index(connection, database.index(), state));
    if (const auto running = TRY(running_maintenance(database.folder()))) describe(*running, state);
    return state;
  });
}

}  // namespace loci::embedded
